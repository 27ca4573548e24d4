// The intents whose runs may take a lock, found by matching its name against their lock templates.
import { quoted } from "../parts/command";
import { intentAddress } from "../parts/names";
import type { LockRow, Overview } from "../record/overview";
import type { Schemas } from "../record/api";

export type Taker = {
  intent: string;
  /** The values that the name determines; null if it does not. */
  params: Record<string, string> | null;
  /** A command that can be typed as it stands, if the name determines all required values. */
  command?: string;
};
type Property = { enum?: unknown[]; default?: unknown; pattern?: string };

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The names that a lock may have. */
export const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,126}[a-z0-9])?$/;

export function takers(name: string, intents: Schemas["Intent"][]): Taker[] {
  return intents.flatMap((intent) => {
    if (!intent.lock || intent.mode === "observe") return [];
    const properties = ((intent.params as { properties?: Record<string, Property> }).properties) ?? {};
    const params: string[] = [];
    let free = 0;
    const pattern = intent.lock.split(/(\$\{[^}]*\})/).map((part) => {
      const reference = /^\$\{(.*)\}$/.exec(part)?.[1];
      if (reference === undefined) return escaped(part);
      if (reference === "intent.name") return escaped(intent.name);
      if (reference === "intent.version") return escaped(intent.version);
      if (!reference.startsWith("params.")) {
        free = 2;
        return ".+";
      }
      params.push(reference.slice("params.".length));
      const allowed = properties[params.at(-1)!]?.enum;
      if (!allowed) free++;
      return `(${allowed ? allowed.map((value) => escaped(String(value))).join("|") : ".+"})`;
    }).join("");
    const match = new RegExp(`^${pattern}$`).exec(name);
    if (!match) return [];
    const values: Record<string, string> = {};
    let isDetermined = free <= 1;
    params.forEach((param, i) => {
      const value = match[i + 1]!;
      if (values[param] !== undefined && values[param] !== value) isDetermined = false;
      values[param] = value;
    });
    const required = (intent.params as { required?: string[] }).required ?? [];
    const isComplete = isDetermined && required.every((name) => values[name] !== undefined);
    return [{ intent: intent.name, params: isDetermined ? values : null, command: isComplete ? runCommand(intent.name, values, properties) : undefined }];
  });
}

function runCommand(intent: string, values: Record<string, string>, properties: Record<string, Property>): string {
  return ["tower run", intent, ...Object.entries(values).filter(([name, value]) => String(properties[name]?.default ?? "") !== value)
    .map(([name, value]) => `-p ${quoted(`${name}=${value}`)}`)].join(" ");
}

/** The address of an intent's page with values. */
export function intentWith(intent: string, params: Record<string, unknown> = {}, more: Record<string, string> = {}): string {
  const query = new URLSearchParams(more);
  for (const [name, value] of Object.entries(params)) query.set(`param.${name}`, String(value));
  return `${intentAddress(intent)}${query.size ? `?${query}` : ""}`;
}

/** Whether a run holds a lock, and not a client or a guarded command. */
export function isRun(lock: { metadata?: Record<string, unknown> }): boolean {
  return lock.metadata?.held_for === "run";
}

/** What announces a change of a lock: its rows, and the runs that wait for it. */
export function announcement(state: Overview | null, name: string): string {
  if (!state) return "";
  const waiting = Object.values(state.runs).filter((it) => it.status === "waiting" && (it.waiting?.lock_name ?? it.lock_name) === name);
  return JSON.stringify([state.locks[name], state.freezes[name], waiting.map((it) => [it.request_id, it.waiting?.position])]);
}

export const isHeldState = (state: string | undefined) => state === "active" || state === "held";
/** A lock whose holder is active is held. */
export const shownState = (state: string) => (state === "active" ? "held" : state);
export const isUnreadable = (lock: LockRow) => lock.state === "corrupt" || lock.state === "unsupported";

/** A request id of the caller's own, so that a request whose answer was lost can be repeated. */
export function newId(): string {
  return `req_${[...crypto.getRandomValues(new Uint8Array(12))].map((it) => it.toString(16).padStart(2, "0")).join("")}`;
}

// Locks in words.
import { html, nothing, type TemplateResult } from "lit";
import { moment } from "../parts/moment";
import { runAddress } from "../parts/names";
import { stamp } from "../parts/stamp";
import type { Schemas } from "../record/api";
import type { Origin } from "./lock-history";
import { isRun } from "./lock-intents";

/** A lock as the service says; a free one without a freeze has no record. */
export type View = Schemas["Lock"] & Partial<Schemas["LockRecord"]> & {
  expires_at?: string; fencing_token?: number; holder?: "gone"; clock_skew?: boolean; problem?: string; lock_version?: string;
  heartbeats?: Schemas["HeartbeatCounts"];
};
export type Held = View & Schemas["LockRecord"] & { expires_at: string; fencing_token: number };

export function isHeld(lock: View | null): lock is Held {
  return lock?.state === "active" || lock?.state === "stale";
}

export const forWhom = (name: unknown) => (typeof name === "string" ? html` on behalf of ${name}` : nothing);

export function who(of: Origin | undefined): TemplateResult | string {
  if (!of?.actor) return "not recorded";
  return html`${of.actor}${forWhom(of.on_behalf_of)}${of.door ? html`<small class="under">through ${of.door}${of.host_id ? ` on ${of.host_id}` : ""}</small>` : nothing}`;
}

export const waitText = (waiters: number) => (waiters === 1 ? "1 request waits" : `${waiters} requests wait`);

export function purpose(lock: Held): TemplateResult {
  if (isRun(lock)) return html`for run <a href=${runAddress(lock.request_id)}>${lock.request_id}</a> (${lock.intent})`;
  return lock.intent === "guard" ? html`for a guarded command` : html`by hand${lock.intent === "manual" ? nothing : html` (${lock.intent})`}`;
}

export function frozenText(freeze: Schemas["Freeze"] | Schemas["UnreadableFreeze"]): TemplateResult {
  return "problem" in freeze ? html`Frozen: its freeze cannot be read (${freeze.problem}).`
    : html`Frozen by <strong>${freeze.actor}</strong>${forWhom(freeze.on_behalf_of)} until ${stamp(freeze.expires_at)}
      (${moment(freeze.expires_at, "left")}): ${freeze.reason}.`;
}

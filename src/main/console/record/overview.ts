// The one live state of the page: a snapshot and its changes over one stream, and one reducer.
import { events } from "./sse";
import { Problem } from "./api";
import { Signal } from "./signal";
import { session } from "../app/session";

type Rows<T> = { [key: string]: T };
export type RunRow = {
  request_id: string; intent: string; actor: string; on_behalf_of?: string; status: "waiting" | "running"; queued?: true; host_id?: string;
  created_at: string; lock_name?: string; step?: { name: string; index: number; count: number; started_at: string };
  waiting?: { lock_name?: string; position?: number; ahead?: string[]; foreign_lock?: string; held_by?: { request_id: string; actor: string; intent?: string } };
  last_heartbeat_at?: string; heartbeat_failures?: { consecutive: number; last_error: string };
};
export type LockRow = {
  lock_name: string; state: string; request_id?: string; actor?: string; intent?: string; host_id?: string; created_at?: string;
  last_heartbeat_at?: string; expires_at?: string; ttl_seconds?: number; fencing_token?: number; waiters: number; holder?: "gone"; problem?: string;
};
export type Overview = {
  as_of: string; host_id: string; version: string; runs: Rows<RunRow>; locks: Rows<LockRow>;
  interrupted: Rows<{ request_id: string; intent: string; actor: string; lock_name?: string; finished_at: string }>;
  freezes: Rows<{ name: string; frozen_by?: string; reason?: string; created_at?: string; expires_at?: string; problem?: string }>;
  hosts: Rows<{ host_id: string; alive: boolean; executors: Array<{ id: string; kind: string; pid: number; version: string; alive: boolean; entered_at: string }> }>;
  tasks: Rows<Record<string, unknown>>; mailboxes: Rows<{ name: string; ready: number; leased: number; delayed: number; dead: number }>;
  intents: Rows<{ name: string; description?: string; mode: string; version: string; lock?: string }>; truncated?: string[];
};
type Sections = { [section: string]: { [key: string]: unknown } };
type Change = { as_of: string; set?: Sections; removed?: { [section: string]: string[] } };

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  | { state: "reconnecting"; since: number; problem: string };

const RETRY_MS = 1_000;
/** The service sends something every 5 s. */
const SILENCE_MS = 12_000;
/** A lost event stays lost until then: the whole state is read again. */
const WHOLE_AGAIN_MS = 5 * 60_000;

/** Applies one event of the stream; null asks for the whole state again. */
export function reduce(state: Overview | null, name: string, data: string): Overview | null {
  if (name === "overview") return JSON.parse(data) as Overview;
  if (!state) return null;
  if (name !== "change" && name !== "as_of" && name !== "problem") return state;
  const change = JSON.parse(data) as Change;
  const next = { ...state, as_of: change.as_of } as Overview & Record<string, unknown>;
  for (const [section, rows] of Object.entries(change.set ?? {})) {
    next[section] = { ...(next[section] as object), ...rows };
  }
  for (const [section, keys] of Object.entries(change.removed ?? {})) {
    const rows = { ...(next[section] as Record<string, unknown>) };
    for (const key of keys) delete rows[key];
    next[section] = rows;
  }
  return next;
}

class LiveOverview {
  readonly state = new Signal<Overview | null>(null);
  readonly connection = new Signal<Connection>({ state: "connecting" });
  /** What the service could not read; empty if all is well. */
  readonly problem = new Signal<string>("");
  private running: AbortController | null = null;

  start(): void {
    if (!this.running) {
      this.running = new AbortController();
      void this.follow(this.running.signal);
    }
  }

  stop(): void {
    this.running?.abort();
    this.running = null;
    this.state.value = null;
    this.connection.value = { state: "connecting" };
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const once = new AbortController();
      const stop = () => once.abort();
      signal.addEventListener("abort", stop);
      let isRefresh = false;
      const whole = setTimeout(() => { isRefresh = true; stop(); }, WHOLE_AGAIN_MS);
      let problem = "the connection ended";
      try {
        for await (const event of events("/overview/stream", once.signal, "", SILENCE_MS)) {
          // A problem lasts until the service says that all is well; what can be read changes meanwhile.
          if (event.name === "problem") this.problem.value = String((JSON.parse(event.data) as { problem?: unknown }).problem ?? "");
          else if (event.name !== "change") this.problem.value = "";
          this.state.value = reduce(this.state.value, event.name, event.data);
          if (this.connection.value.state !== "live") this.connection.value = { state: "live" };
        }
      } catch (e) {
        problem = e instanceof Problem ? e.message : "the service fell silent";
      }
      clearTimeout(whole);
      signal.removeEventListener("abort", stop);
      if (signal.aborted || !session.token) return;
      if (!isRefresh) {
        if (this.connection.value.state !== "reconnecting") {
          this.connection.value = { state: "reconnecting", since: Date.now(), problem };
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}

export const overview = new LiveOverview();

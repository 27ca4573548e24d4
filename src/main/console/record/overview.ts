// The one live state of the page: a snapshot and its changes over one stream, and one reducer.
import { events } from "./sse";
import { Problem, type Schemas } from "./api";
import { Signal } from "./signal";
import { session } from "./session";

export type Overview = Schemas["Overview"];
export type RunRow = Schemas["OverviewRun"];
export type LockRow = Schemas["OverviewLock"];
export type TaskRow = Schemas["OverviewTask"];
type Sections = { [section: string]: { [key: string]: unknown } };
type Change = { as_of: string; set?: Sections; removed?: { [section: string]: string[] } };

export type Connection =
  | { state: "connecting" }
  | { state: "live" }
  /** The problem is what the service answered; empty if it did not. */
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
      let problem = "";
      try {
        for await (const event of events("/overview/stream", once.signal, "", SILENCE_MS)) {
          // A problem lasts until the service says that all is well; what can be read changes meanwhile.
          if (event.name === "problem") this.problem.value = String((JSON.parse(event.data) as { problem?: unknown }).problem ?? "");
          else if (event.name !== "change") this.problem.value = "";
          this.state.value = reduce(this.state.value, event.name, event.data);
          if (this.connection.value.state !== "live") this.connection.value = { state: "live" };
        }
      } catch (e) {
        if (e instanceof Problem && e.status !== 0) problem = e.message;
      }
      clearTimeout(whole);
      signal.removeEventListener("abort", stop);
      if (signal.aborted || !session.token) return;
      if (!isRefresh) {
        const before = this.connection.value;
        this.connection.value = { state: "reconnecting", since: before.state === "reconnecting" ? before.since : Date.now(), problem };
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}

export const overview = new LiveOverview();

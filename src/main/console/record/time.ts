// Times and durations as people read them. One clock ticks for the whole page, and stands still without a connection.
import { Signal } from "./signal";
import { overview } from "./overview";

/** The service's present time in milliseconds, as far as it is known. */
export const now = new Signal<number>(Date.now());
let ahead = -Infinity;
/** A delay beyond this is a clock that was set. */
const STEP_MS = 3_000;

overview.state.observe(() => {
  const state = overview.state.value;
  if (state) {
    // The least delayed event knows the time best, unless the clock of either side was set.
    const measured = Date.parse(state.as_of) - Date.now();
    if (measured > ahead || ahead - measured > STEP_MS) ahead = measured;
    tick();
  }
});

overview.connection.observe(tick);

function tick(): void {
  if (overview.connection.value.state === "live" && Number.isFinite(ahead)) now.value = Date.now() + ahead;
}

setInterval(tick, 1_000);

/** "4s", "3m 05s", "2h 10m", "3d 4h". */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, "0")}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ${String(Math.floor(seconds / 60) % 60).padStart(2, "0")}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor(seconds / 3600) % 24}h`;
}

/** A length that does not change, without zero parts: "4s", "15m", "1h 30m". */
export function duration(seconds: number): string {
  return span(seconds * 1000).replace(/ 0+[smh]$/, "");
}

export function since(time: string): number {
  return now.value - Date.parse(time);
}

export function clock(time: string): string {
  return new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

/** The local time with its zone, and UTC. */
export function both(time: string): string {
  const date = new Date(time);
  return `${date.toLocaleString([], { dateStyle: "medium", timeStyle: "medium", hour12: false })} local · ${time} UTC`;
}

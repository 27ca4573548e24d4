// The holdings of a lock, as its events in the audit log record them.
import type { Schemas } from "../record/api";

export type Event = Schemas["AuditEvent"];
/** What a removal by force says of the lock before: who removed it, why, and the hash of its bytes. */
export type Removal = { at: string; by?: Origin; request_id?: string; reason?: string; hash?: string };
export type Origin = Pick<Event, "actor" | "on_behalf_of" | "door" | "host_id">;

export type Holding = Origin & {
  request_id: string;
  intent?: string;
  reason?: string;
  from: string;
  /** When it ended; absent for the present one, and where the log does not say. */
  to?: string;
  seconds?: number;
  end: "holds" | "released" | "taken" | "forced" | "lost" | "unknown";
  result?: string;
  failure_step?: string;
  /** Who took it over, or removed it. */
  removal?: Removal;
  /** Whether it began by taking a stale lock over. */
  stole?: true;
  /** Whether a run held it. */
  isRun?: true;
  notes: string[];
};
export type Freezing = { at: string; by?: Origin; reason?: string; until?: string; lifted?: { at: string; by?: Origin } };
export type History = { holdings: Holding[]; freezes: Freezing[] };

const origin = (event: Event): Origin =>
  ({ actor: event.actor, on_behalf_of: event.on_behalf_of, door: event.door, host_id: event.host_id });

const seconds = (from: string, to: string) => Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000));

/** Reads events, oldest first. `holder` is the request that holds the lock now. Newest first. */
export function readHistory(events: Event[], holder: string | undefined): History {
  const holdings: Holding[] = [];
  const freezes: Freezing[] = [];
  let open: Holding | undefined;
  let theft: { event: Event; removal: Removal } | undefined;
  let last: Removal | undefined;

  const begin = (of: { request_id: string; actor?: string; intent?: string; host_id?: string }, from: string): Holding => {
    const holding: Holding = { ...of, from, end: "unknown", notes: [] };
    holdings.push(holding);
    return holding;
  };
  /** The holding that a lock record belongs to; one that began before the log does is known from the record only. */
  const of = (record: Schemas["HeldBy"] | null | undefined): Holding | undefined =>
    open && (!record || open.request_id === record.request_id) ? open
      : record ? begin({ request_id: record.request_id, actor: record.actor, intent: record.intent, host_id: record.host_id },
        record.created_at) : undefined;
  /** A request's holding without an end: hosts write their events apart, so the next one may begin before it ends. */
  const unended = (id?: string): Holding | undefined =>
    holdings.findLast((it) => it.request_id === id && (it.end === "unknown" || it.end === "lost"));
  const end = (holding: Holding, how: Holding["end"], at: string) => {
    holding.end = how;
    holding.to = at;
    holding.seconds = seconds(holding.from, at);
    if (open === holding) open = undefined;
  };

  for (const event of events) {
    switch (event.event) {
      case "lock_acquired":
        open = begin({ request_id: event.request_id ?? "" }, event.timestamp);
        if (theft?.event.request_id === event.request_id) open.stole = true;
        theft = undefined;
        break;
      case "lock_stolen": {
        const holding = of(event.previous_lock);
        last = { at: event.timestamp, request_id: event.request_id, hash: event.previous_lock_hash };
        theft = { event, removal: last };
        if (holding) {
          end(holding, "taken", event.timestamp);
          holding.removal = last;
        }
        break;
      }
      case "lock_actor":
        if (event.of === "lock_acquired") {
          const holding = unended(event.request_id);
          if (holding) Object.assign(holding, origin(event), { intent: event.intent, reason: event.reason });
        } else if (event.of === "lock_stolen" && last) {
          last.by = origin(event);
          last.reason = event.reason;
        }
        break;
      case "lock_released": {
        const holding = unended(event.request_id)
          ?? begin({ request_id: event.request_id ?? "" },
            new Date(Date.parse(event.timestamp) - 1000 * (event.held_duration_seconds ?? 0)).toISOString().slice(0, 19) + "Z");
        end(holding, "released", event.timestamp);
        holding.seconds = event.held_duration_seconds ?? holding.seconds;
        holding.result = event.result;
        holding.failure_step = event.failure_step;
        break;
      }
      case "lock_force_released": {
        const holding = of(event.previous_lock);
        if (holding) {
          end(holding, "forced", event.timestamp);
          holding.removal = { at: event.timestamp, by: origin(event), request_id: event.request_id, reason: event.reason,
            hash: event.previous_lock_hash };
        }
        break;
      }
      case "lock_lost": {
        const holding = holdings.findLast((it) => it.request_id === event.request_id);
        if (holding?.end === "unknown") {
          holding.end = "lost";
          holding.to = event.timestamp;
          holding.seconds = seconds(holding.from, event.timestamp);
        }
        holding?.notes.push(`lost: ${event.reason ?? "no longer its own"}`);
        break;
      }
      case "lock_restored":
        holdings.findLast((it) => it.request_id === event.request_id)?.notes.push("put back after a power failure");
        break;
      case "heartbeat_failed":
        open?.notes.push(`${event.consecutive_failures} heartbeats failed: ${event.error}`);
        break;
      case "lock_release_failed":
        open?.notes.push(`its release failed: ${event.error}`);
        break;
      case "run_started": {
        const holding = holdings.findLast((it) => it.request_id === event.request_id);
        if (holding) holding.isRun = true;
        break;
      }
      case "lock_frozen":
        freezes.push({ at: event.timestamp, by: origin(event), reason: event.reason, until: event.expires_at });
        break;
      case "lock_unfrozen": {
        const freezing = freezes.at(-1);
        if (freezing && !freezing.lifted) freezing.lifted = { at: event.timestamp, by: origin(event) };
        break;
      }
      default:
        break;
    }
  }
  const now = holdings.findLast((it) => it.request_id === holder);
  if (now && (now.end === "unknown" || now.end === "lost")) {
    now.end = "holds";
    now.to = undefined;
    now.seconds = undefined;
  }
  return { holdings: holdings.reverse(), freezes: freezes.reverse() };
}

/** The nearest-rank percentiles of how long the ended holdings lasted. */
export function usual(holdings: Holding[]): { count: number; median: number; p95: number } | null {
  const times = holdings.flatMap((it) => (it.seconds === undefined ? [] : [it.seconds])).sort((a, b) => a - b);
  const rank = (share: number) => times[Math.max(0, Math.ceil(share * times.length) - 1)]!;
  return times.length ? { count: times.length, median: rank(0.5), p95: rank(0.95) } : null;
}

// Events of the audit log in words.
import { html, nothing, type TemplateResult } from "lit";
import { intentLink, lockLink, mailboxAddress, runAddress, taskLink } from "../parts/names";
import type { Schemas } from "../record/api";
import { duration } from "../record/time";

export type Event = Schemas["AuditEvent"];

/** The events of the specification, whose origin is in a `lock_actor` of their own. */
export const OF_SPECIFICATION = ["lock_acquired", "lock_stolen", "lock_released", "lock_release_failed", "heartbeat_failed"];

export const EVENTS: Array<[string, string[]]> = [
  ["Locks", ["lock_acquired", "lock_stolen", "lock_released", "lock_lost", "lock_force_released", "lock_restored", "lock_blocked", "lock_frozen", "lock_unfrozen", "halt_placed", "halt_lifted",
    "lock_renewed", "heartbeat_failed", "lock_release_failed", "lock_guard_replaced", "lock_actor"]],
  ["Runs", ["run_queued", "run_started", "run_finished", "run_approval_requested", "run_approved", "run_rejected", "run_approval_expired", "run_cancel_requested",
    "run_skipped", "run_refused", "run_settled", "drift_found", "drift_repaired", "would_refuse"]],
  ["Other tools' locks", ["foreign_lock_acquired", "foreign_lock_released", "foreign_lock_release_failed", "foreign_lock_removed"]],
  ["Tasks and mailboxes", ["task_claimed", "task_lost", "task_closed", "message_dead", "mailbox_revived", "mailbox_purged"]],
  ["Access", ["access_denied", "token_created", "token_rotated", "token_revoked", "home_moved", "audit_events_lost"]],
];

const BAD = new Set(["lock_stolen", "lock_lost", "lock_force_released", "lock_restored", "heartbeat_failed", "lock_release_failed", "access_denied",
  "foreign_lock_release_failed", "task_lost", "message_dead", "audit_events_lost"]);

export const isBad = (event: Event) => BAD.has(event.event) || (event.event === "run_finished" && event.result !== "success");

const REFUSALS: Record<string, string> = { lock_blocked: "refused or waiting", lock_stale: "refused: stale", lock_frozen: "refused: frozen",
  lock_corrupt: "refused: unreadable", lock_wait_timeout: "timed out" };
const seconds = (count: number | undefined) => duration((count ?? 0));
const holder = (of: Schemas["HeldBy"] | null | undefined) => (of ? html`${of.actor} (${of.intent}, request ${requestLink(of.request_id)})` : html`an unreadable lock`);
/** The events of a request, which need not be a run. */
const requestLink = (id: string) => html`<a href=${`/console/audit?request=${encodeURIComponent(id)}`}>${id}</a>`;
const runLink = (id: string) => html`<a href=${runAddress(id)}>${id}</a>`;
const why = (event: Event) => (event.reason ? html`: ${event.reason}` : nothing);

/** What an event is about, with links; its request is below. */
export function subject(event: Event): TemplateResult {
  const parts: TemplateResult[] = [];
  if (event.lock_name) parts.push(html`lock ${lockLink(event.lock_name)}`);
  if (event.halt) parts.push(html`halt ${event.halt}`);
  if (event.foreign_lock) parts.push(html`<code>${event.foreign_lock}</code>`);
  if (event.intent && event.intent !== "manual" && /^(run|drift)_/.test(event.event)) parts.push(html`intent ${intentLink(event.intent)}`);
  if (event.task_id) parts.push(html`task ${taskLink(event.task_id)}`);
  if (event.mailbox) parts.push(html`mailbox <a href=${mailboxAddress(event.mailbox)}>${event.mailbox}</a>`);
  if (event.name) parts.push(html`token ${event.name}`);
  return html`${parts.map((part, i) => html`${i ? ", " : nothing}${part}`)}${event.request_id ? html`<small class="under">${
    /^(run|drift)_/.test(event.event) ? runLink(event.request_id)
      : requestLink(event.request_id)}</small>` : nothing}`;
}

/** What happened, after the name of the event. */
export function what(event: Event): TemplateResult | typeof nothing {
  switch (event.event) {
    case "lock_acquired": return html`time to live ${seconds(event.ttl_seconds)}${event.intent && event.intent !== "manual" ? html`, ${event.intent}` : nothing}`;
    case "lock_stolen": return html`taken over from ${holder(event.previous_lock)}${event.reason === "stale_lock_forced" ? nothing : why(event)}`;
    case "lock_released": return html`after ${seconds(event.held_duration_seconds)}, ${event.result}${event.failure_step ? html` in step ${event.failure_step}` : nothing}`;
    case "lock_lost": return html`${event.reason}${event.held_by ? html`, now held by ${holder(event.held_by)}` : nothing}${event.error ? html`: ${event.error}` : nothing}`;
    case "lock_force_released": return html`taken from ${holder(event.previous_lock)}${why(event)}`;
    case "lock_blocked": return html`${REFUSALS[event.error ?? ""] ?? event.error}${event.held_by ? html`, held by ${holder(event.held_by)}` : nothing}`;
    case "lock_frozen": return html`for ${seconds(event.ttl_seconds)}${why(event)}`;
    case "lock_unfrozen": return event.previous_freeze ? html`frozen by ${event.previous_freeze.actor ?? "an unknown caller"}: ${event.previous_freeze.reason}` : nothing;
    case "halt_placed": return html`${event.level}${why(event)}`;
    case "halt_lifted": return event.previous_halt ? html`placed by ${event.previous_halt.actor}: ${event.previous_halt.reason}` : nothing;
    case "lock_renewed": return html`${event.late_by_seconds ? `${seconds(event.late_by_seconds)} late` : "in time"}`;
    case "heartbeat_failed": return html`${event.consecutive_failures} in a row: ${event.error}`;
    case "run_finished": return html`${event.status?.replaceAll("_", " ")}${event.failure_step ? html` in step ${event.failure_step}` : nothing}${
      event.rollback && event.rollback !== "none" ? html`; rollback: ${event.rollback}` : nothing}`;
    case "run_started": return html`${event.mode} ${event.intent_version}${why(event)}`;
    case "run_approval_requested": return html`needs ${event.need === 1 ? "an approval" : `${event.need} approvals`}`;
    case "run_approved":
    case "run_rejected": return html`by ${event.principal}, ${event.have} of ${event.need}${event.standing ? html`, given with run ${runLink(event.standing)}` : nothing}${why(event)}`;
    case "run_approval_expired": return html`${event.have} of ${event.need}`;
    case "would_refuse": return html`${event.kind} ${event.rule}`;
    case "run_settled": return html`${event.settled?.replace("_", " ")}`;
    case "drift_found": return html`${event.differences}`;
    case "drift_repaired": return html`it had not held since ${event.since}`;
    case "access_denied": return html`${event.tool ?? event.mcp_method ?? `${event.method} ${event.path}`} from ${event.remote ?? "stdin"}${why(event)}${event.untold ? `; ${event.untold} more were not recorded` : ""}`;
    case "token_created":
    case "token_rotated":
    case "token_revoked": return html`role ${event.role}`;
    case "task_claimed": return html`by ${event.agent}, attempt ${event.attempt}`;
    case "task_lost": return html`of ${event.agent}, attempt ${event.attempt}`;
    case "task_closed": return html`${event.outcome} by ${event.agent}`;
    case "message_dead": return html`message ${event.message_id}, ${event.cause?.replaceAll("_", " ")}${event.error ? html`: ${event.error}` : nothing}`;
    case "mailbox_revived":
    case "mailbox_purged": return html`${event.messages} ${event.dead ? "dead letters" : "messages"}`;
    case "audit_events_lost": return html`${event.lost} earlier events could not be written`;
    default: return html`${event.error ?? event.reason ?? ""}`;
  }
}

/** Puts the origin of an event of the specification, which is in the `lock_actor` after it, into that event. Oldest first. */
export function withOrigins(events: Event[]): Event[] {
  const result: Event[] = [];
  for (const event of events) {
    if (event.event === "lock_actor") {
      const i = result.findLastIndex((it, at) => at >= result.length - 200 && it.event === event.of
        && it.request_id === event.request_id && it.lock_name === event.lock_name && it.actor === undefined);
      if (i >= 0) {
        const { event: _, of: __, timestamp: ___, ...origin } = event;
        result[i] = { ...origin, ...result[i]!, ...(event.reason ? { reason: event.reason } : {}) };
        continue;
      }
    }
    result.push(event);
  }
  return result;
}

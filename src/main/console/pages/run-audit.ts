// The events of the audit log about one run.
import { html, nothing, type TemplateResult } from "lit";
import { actor, lockLink, runLink } from "../parts/names";
import { stamp } from "../parts/stamp";
import { table } from "../parts/table";
import type { AuditEvent, Run } from "./live-run";

export function auditTable(run: Run, events: AuditEvent[]): TemplateResult | typeof nothing {
  if (events.length === 0) return nothing;
  const who = new Map(events.filter((it) => it.event === "lock_actor").map((it) => [`${it.of} ${it.timestamp}`, it]));
  const rows = events.filter((it) => it.event !== "lock_actor").map((it, index) => ({ it, index, by: who.get(`${it.event} ${it.timestamp}`) ?? it }));
  return html`${table({
    caption: "Events of the audit log",
    rows,
    key: (row) => `${row.index}`,
    columns: [
      { name: "Event", kind: "short", cell: ({ it }) => it.event.replaceAll("_", " ") },
      { name: "Time", kind: "short", cell: ({ it }) => stamp(it.timestamp) },
      { name: "Who", cell: ({ by }) => by.actor ? actor(by.actor, by.on_behalf_of) : "" },
      { name: "Door", cell: ({ by }) => by.door ?? "" },
      { name: "What", cell: ({ it }) => what(it) },
    ],
  })}<p><a href="/console/audit?request_id=${encodeURIComponent(run.request_id)}">These events in the audit log</a></p>`;
}

function what(it: AuditEvent): TemplateResult {
  const parts: Array<TemplateResult | false | "" | undefined | null> = [
    it.lock_name && html`lock ${lockLink(it.lock_name)}`,
    it.fencing_token !== undefined && html`token ${it.fencing_token}`,
    it.held_duration_seconds !== undefined && html`held for ${it.held_duration_seconds} s`,
    it.previous_lock && html`taken from ${it.previous_lock.actor}, ${runLink(it.previous_lock.request_id, it.previous_lock.intent)}`,
    it.previous_lock_hash && html`hash <code title=${it.previous_lock_hash}>${it.previous_lock_hash.slice(0, 19)}…</code>`,
    it.held_by && html`held by ${it.held_by.actor}, ${runLink(it.held_by.request_id, it.held_by.intent)}`,
    it.foreign_lock && html`${it.foreign_lock}`,
    it.consecutive_failures !== undefined && html`${it.consecutive_failures} failures in a row`,
    it.status && html`${it.status.replace("_", " ")}`,
    it.failure_step && html`at step ${it.failure_step}`,
    it.rollback && html`rollback: ${it.rollback}`,
    it.reason && html`“${it.reason}”`,
    it.error && html`${it.error}`,
  ];
  return html`<span>${parts.filter((it): it is TemplateResult => Boolean(it)).map((it, index) => html`${index > 0 ? " · " : ""}${it}`)}</span>`;
}

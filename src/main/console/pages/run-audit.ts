// The events of the audit log about one run.
import { html, nothing, type TemplateResult } from "lit";
import { actor, lockLink } from "../parts/names";
import { stamp } from "../parts/stamp";
import { table } from "../parts/table";
import { what, withOrigins } from "./audit-text";
import type { AuditEvent, Run } from "./live-run";

export function auditTable(run: Run, events: AuditEvent[]): TemplateResult | typeof nothing {
  if (events.length === 0) return nothing;
  return html`${table({
    caption: "Events of the audit log",
    rows: withOrigins(events).map((it, index) => ({ it, index })),
    key: (row) => `${row.index}`,
    columns: [
      { name: "Event", kind: "short", cell: ({ it }) => it.event.replaceAll("_", " ") },
      { name: "Time", kind: "short", cell: ({ it }) => stamp(it.timestamp) },
      { name: "Who", cell: ({ it }) => it.actor ? actor(it.actor, it.on_behalf_of) : "" },
      { name: "Door", cell: ({ it }) => it.door ?? "" },
      { name: "Lock", cell: ({ it }) => it.lock_name ? lockLink(it.lock_name) : "" },
      { name: "What", cell: ({ it }) => html`<span>${what(it)}${it.previous_lock_hash
        ? html`, hash of the previous lock <code title=${it.previous_lock_hash}>${it.previous_lock_hash.slice(0, 19)}…</code>` : nothing}</span>` },
    ],
  })}<p><a href="/console/audit?request=${encodeURIComponent(run.request_id)}">These events in the audit log</a></p>`;
}

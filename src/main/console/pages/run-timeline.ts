// When a run waited, which steps it executed and what it undid: a table with proportional bars.
import { html, svg, type TemplateResult } from "lit";
import { lockLink } from "../parts/names";
import { moment } from "../parts/moment";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { now, span } from "../record/time";
import type { AuditEvent, Run, Step } from "./live-run";
import { stepName, took } from "./run-text";

type Phase = { name: unknown; kind: string; status: string; startedAt: string | null; ms: number; step?: Step };
/** A bar is drawn in this many units, and is never narrower than the smallest that can be seen. */
const WIDTH = 1000;
const NARROWEST = 6;
/** The times of a wait are whole seconds, so that a shorter one may be none. */
const SHORTEST_WAIT_MS = 2_000;

/** When the run had its lock, or began without one. */
export function startOf(run: Run, audit: AuditEvent[]): string | undefined {
  const acquired = audit.find((it) => it.event === "lock_acquired" || it.event === "lock_stolen");
  return acquired?.timestamp ?? audit.find((it) => it.event === "run_started")?.timestamp
    ?? run.steps.find((it) => it.started_at)?.started_at ?? undefined;
}

function phases(run: Run, audit: AuditEvent[]): Phase[] {
  const all: Phase[] = [];
  const start = startOf(run, audit);
  const waited = Date.parse(start ?? run.finished_at ?? new Date(now.value).toISOString()) - Date.parse(run.created_at);
  if (run.status === "waiting" || waited >= SHORTEST_WAIT_MS) {
    all.push({
      name: run.lock_name ? html`wait for ${lockLink(run.lock_name)}` : "wait", kind: "wait", startedAt: run.created_at, ms: Math.max(0, waited),
      status: run.status === "waiting" ? "waiting" : start ? "done" : run.status,
    });
  }
  for (const step of run.steps) {
    all.push({ name: step.name, kind: "step", status: step.status, startedAt: step.started_at, ms: step.duration_ms, step });
  }
  for (const undo of run.rollback) {
    if ("started_at" in undo) {
      all.push({ name: stepName(run, undo), kind: "rollback", status: undo.status, startedAt: undo.started_at, ms: undo.duration_ms, step: undo });
    } else {
      all.push({ name: "undo", kind: "rollback", status: "skipped", startedAt: null, ms: 0, step: undo as unknown as Step });
    }
  }
  return all;
}

/** The table; `select` shows the output of a step. */
export function timeline(run: Run, audit: AuditEvent[], select: (log: string) => void): TemplateResult {
  const begin = Date.parse(run.created_at);
  let end = begin;
  const rows = phases(run, audit).map((phase) => {
    const isRunning = phase.status === "running" || phase.status === "waiting";
    // Starts are whole seconds, durations are not: no phase begins before the one above it has ended.
    const from = phase.startedAt === null ? end : Math.max(end, Date.parse(phase.startedAt));
    const ms = isRunning && phase.startedAt ? Math.max(0, now.value - Date.parse(phase.startedAt)) : phase.ms;
    if (phase.startedAt !== null) end = Math.max(end, from + ms);
    return { ...phase, isRunning, from, ms };
  });
  const total = Math.max(1, end - begin);
  return html`<table class="cards timeline">
    <caption>Timeline</caption>
    <thead><tr><th scope="col">Phase</th><th scope="col">State</th><th scope="col">Start</th>
      <th scope="col" class="number">Duration</th><th scope="col" class="bars">Share of the time</th></tr></thead>
    <tbody>${rows.map((row) => html`<tr class=${row.kind}>
      <th scope="row">${row.step?.log
        ? html`<a href="#${encodeURIComponent(row.step.log)}" @click=${(event: Event) => {
          event.preventDefault();
          select(row.step!.log!);
        }}>${row.name}</a>`
        : row.name}</th>
      <td data-label="State" class="short"><span>${status(row.status)}${row.step?.exit_code ? html` <span class="quiet">exit ${row.step.exit_code}</span>` : ""}${
        row.step?.tries ? html` <span class="quiet">${row.step.tries.length === 1 ? "tried once" : `tried ${row.step.tries.length} times`}</span>` : ""}${
        row.step?.note ? html`<div class="note">${row.step.note.replace(/^skipped: /, "")}</div>` : ""}</span></td>
      <td data-label="Start" class="short">${row.startedAt ? stamp(row.startedAt) : html`<span class="quiet">not begun</span>`}</td>
      <td data-label="Duration" class="number">${row.startedAt ? row.isRunning ? moment(row.startedAt, "since") : row.kind === "wait" ? span(row.ms) : took(row.ms) : ""}</td>
      <td class="bars">${row.startedAt ? bar(row.from - begin, row.ms, total, `${row.kind} ${row.status}`) : ""}</td>
    </tr>`)}</tbody>
  </table>`;
}

function bar(from: number, ms: number, total: number, kind: string): TemplateResult {
  const width = Math.max(NARROWEST, Math.round(ms / total * WIDTH));
  const x = Math.min(WIDTH - width, Math.round(from / total * WIDTH));
  return html`<svg class="share" viewBox="0 0 ${WIDTH} 10" preserveAspectRatio="none" aria-hidden="true">${
    svg`<rect class=${kind} x=${x} width=${width} height="10"></rect>`}</svg>`;
}

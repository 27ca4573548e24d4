// Runs in words: what a status means, and what a person may do about it.
import { html, nothing, type TemplateResult } from "lit";
import { intentLink, lockLink, runLink } from "../parts/names";
import { stamp } from "../parts/stamp";
import type { LockRow } from "../record/overview";
import type { Schemas } from "../record/api";
import { span } from "../record/time";
import type { Run, Step } from "./live-run";

type Text = TemplateResult | string;
export type Advice = { text: Text; command?: string };

/** "120 ms", "2.4s", "3m 05s". */
export function took(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : span(ms);
}

/** The time between two moments that are known to the second. */
export function between(begin: string, end: string): string {
  const ms = Date.parse(end) - Date.parse(begin);
  return ms < 1_000 ? "less than 1s" : span(ms);
}

/** "17 bytes", "12.3 kB", "1.2 GB". */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} bytes`;
  const power = Math.min(3, Math.floor(Math.log10(count) / 3));
  return `${(count / 1000 ** power).toFixed(count / 1000 ** power < 100 ? 1 : 0)} ${["", "kB", "MB", "GB"][power]}`;
}

export function steps(run: Run): Step[] {
  return [...run.steps, ...run.rollback.filter((it): it is Step => "started_at" in it)];
}

/** A step as the page names it. */
export function stepName(run: Run, step: Step): string {
  return run.steps.includes(step) ? step.name : `undo ${step.name}`;
}

function undone(run: Run): string {
  const skipped = run.rollback.find((it) => !("started_at" in it));
  if (skipped) return `Nothing was undone (${String(skipped.note).replace(/^skipped: /, "")}).`;
  const all = steps(run).slice(run.steps.length);
  if (all.length === 0) return "No completed step has a rollback, so nothing was undone.";
  const failed = all.filter((it) => it.status !== "succeeded");
  return failed.length === 0
    ? "The completed steps were undone."
    : `The rollback is incomplete: ${failed.map((it) => `${it.name} ${it.status.replace("_", " ")}`).join(", ")}.`;
}

/** The members of a refusal that the page uses; which of them there are depends on its error. */
type Refusal = NonNullable<Run["refusal"]> & {
  held_by?: Schemas["HeldBy"]; holder?: string | null; frozen_by?: string; reason?: string; expires_at?: string; problem?: string;
  foreign_lock?: string; waiters?: number; changed?: string[]; rejected_by?: string; have?: number; need?: number; params?: string[]; halt?: string; halted_by?: string; window?: string; opens_at?: string;
};

/** Why the run did not get what it needs, and what a person may do about it. */
function refusal(run: Run): { why: Text; next: Text } {
  const it = run.refusal as Refusal;
  const lock = run.lock_name ? html`lock ${lockLink(run.lock_name)}` : "its lock";
  const holder = it.held_by?.request_id
    ? html`${it.held_by.actor}, for ${runLink(it.held_by.request_id, it.held_by.intent)}` : it.holder ?? "another request";
  const again = html`run ${intentLink(run.intent)} again`;
  switch (it.error) {
    case "lock_blocked": return { why: html`${lock} was held by ${holder}`, next: html`Wait until it is free, or ${again} and let it wait.` };
    case "lock_wait_timeout": return { why: html`${lock} was not free within its wait limit; held by ${holder}`,
      next: html`Look at ${lock}, or ${again} and let it wait longer.` };
    case "lock_stale": return { why: html`${lock} is stale: ${holder}, no longer renews it`,
      next: html`Find out what became of that run. Then an operator may take the lock over: ${again} by force, or release ${lock}.` };
    case "lock_frozen": return { why: html`${lock} was frozen${it.frozen_by ? html` by ${it.frozen_by}` : ""}${it.reason ? html`: “${it.reason}”` : ""}`,
      next: html`Wait until the freeze ends, or ask an operator to lift it at ${lock}. Then ${again}.` };
    case "too_many_waiters": return { why: html`the maximum number of requests already waited for ${lock}`, next: html`In a while, ${again}.` };
    case "foreign_lock": return { why: html`${it.foreign_lock}, a lock of another tool, was held by ${it.holder ?? "it"}`,
      next: html`Wait until that tool is done, then ${again}.` };
    case "intent_changed": return { why: html`the intent changed while the run was queued${it.problem ? html`: ${it.problem}` : ""}`,
      next: html`Check its new version, then ${again}.` };
    case "plan_changed": return { why: html`it would no longer do what was planned${it.changed ? html` (${it.changed.join(", ")})` : ""}`,
      next: html`Look at its plan, then ${again}.` };
    case "approval_rejected": return { why: html`${it.rejected_by} rejected it${it.reason ? html`: “${it.reason}”` : ""}`,
      next: html`Ask ${it.rejected_by}, then ${again}.` };
    case "approval_expired": return { why: (it.have ?? 0) < (it.need ?? 1) ? html`it was not approved in time (${it.have} of ${it.need})`
      : "it was approved, and did not begin in time after that", next: html`${intentLink(run.intent)} can be requested again; ask for approval then.` };
    case "secrets_lost": return { why: html`the process that had its secret parameters${it.params ? html` (${it.params.join(", ")})` : ""} in memory has ended`,
      next: html`Give them again: ${again}.` };
    case "halted": return { why: html`halt ${it.halt}${it.halted_by ? html` of ${it.halted_by}` : ""} is in force${it.reason ? html`: “${it.reason}”` : ""}`,
      next: html`Wait until the halt is lifted, then ${again}.` };
    case "window_closed": return { why: html`window ${it.window} of the policy was closed${it.reason ? html`: “${it.reason}”` : ""}`,
      next: it.opens_at ? html`From ${stamp(it.opens_at)} on, ${again}.` : html`When the window opens, ${again}.` };
    case "params_not_allowed": return { why: "the policy does not allow its parameters", next: html`With other values, ${again}.` };
    default: return { why: html`${it.error.replaceAll("_", " ")}${it.problem ? html`: ${it.problem}` : ""}`, next: it.suggestion };
  }
}

/** What the status means for this run, in one or two sentences. */
export function meaning(run: Run): Text {
  const step = run.steps.find((it) => it.name === run.failure_step);
  const exit = step?.exit_code ? ` with exit code ${step.exit_code}` : step?.exit_code === 0 ? " because of its output" : "";
  switch (run.status) {
    case "awaiting_approval": return run.approval ? `It has not started, and holds no lock. It needs ${run.approval.need === 1 ? "an approval" : `${
      run.approval.need} approvals`} by ${run.approval.asked}, and has ${run.approval.have}.` : "It has not started.";
    case "waiting": return run.queued && !run.host_id ? "It is in the queue of runs and has not started." : "It has not started.";
    case "running": {
      const at = run.steps.findIndex((it) => it.status === "running");
      const current = run.steps[at];
      if (current) return html`Step ${at + 1} of ${run.steps.length}: <b>${current.name}</b>.`;
      return run.rollback.length > 0 ? "A step did not succeed; the completed steps are being undone." : "Between two steps.";
    }
    case "succeeded": return run.unchanged ? "The state was as desired, so it changed nothing." : run.steps.length === 1 ? "Its step succeeded." : `All ${run.steps.length} steps succeeded.`;
    case "failed": return run.failure_step === "probe" && run.probe?.after ? html`The desired state does not hold after its last step. ${undone(run)}` : html`Step <b>${run.failure_step}</b> failed${exit}. ${undone(run)}`;
    case "refused": return html`It was refused before its first step, and changed nothing: ${refusal(run).why}.`;
    case "timed_out": return html`${run.failure_step ? html`Step <b>${run.failure_step}</b>` : "It"} exceeded its time limit and was ended. ${undone(run)}`;
    case "cancelled": return run.steps.every((it) => it.started_at === null)
      ? "It was cancelled before its first step; nothing was changed."
      : html`It was stopped on request. ${undone(run)}`;
    case "lock_lost": return html`Its lock was removed, taken over, or could not be renewed, so it was stopped. ${undone(run)}`;
    case "interrupted": return html`The process that executed it died. Its steps ended with it, and nothing was undone.
      ${run.failure_step ? html`The last step was <b>${run.failure_step}</b>.` : nothing} ${run.settled ? settlements[run.settled] : nothing}`;
  }
}

/** What became of a run whose end nobody saw. */
export const settlements: Record<Schemas["Settled"], string> = {
  applied: "Settled: the desired state holds.", not_applied: "Settled: the state is that before the run.",
  unknown: "Nobody can tell yet what became of it.",
};

/** What a person may do about a run that did not succeed. */
export function advice(run: Run, lock: LockRow | undefined): Advice[] {
  const name = run.lock?.lock_name ?? run.lock_name;
  switch (run.status) {
    case "interrupted": return [
      { text: "Look at the output below to see how far it got, then undo or finish it by hand." },
      ...(lock && lock.request_id === run.request_id ? [{
        text: html`Lock ${lockLink(lock.lock_name)} is still held for this run. Release it by force once nothing of the run
          is left, or wait until it is stale and take it over with the next run.`,
      }] : []),
      { text: html`Then run ${intentLink(run.intent)} again.` },
    ];
    case "lock_lost": return [
      ...(name ? [{ text: html`Look at lock ${lockLink(name)} first: ${lock?.request_id && lock.request_id !== run.request_id
        ? html`${lock.actor} holds it now, for ${runLink(lock.request_id)}; their work may have overlapped.`
        : "its history shows who removed it or took it over."}`, command: `tower why ${name}` }] : []),
      { text: "Check what the steps of this run have changed; undo or finish it by hand." },
      { text: "If the holder was only slow, give the lock a longer ttl in the intent." },
    ];
    case "refused": return [{ text: refusal(run).next, command: name ? `tower why ${name}` : undefined }];
    case "failed": return [
      { text: html`Read the end of the output of <b>${run.failure_step}</b>, below.` },
      ...(isRollbackComplete(run) ? [] : [{ text: "Check what the completed steps changed, because not all of it was undone." }]),
      { text: html`Correct the cause, then run ${intentLink(run.intent)} again.` },
    ];
    case "timed_out": return [
      { text: "Read the end of the output, below: what did it wait for?" },
      { text: "If the work needs more time, raise timeouts.step or timeouts.run in the intent." },
      ...(isRollbackComplete(run) ? [] : [{ text: "Check what the completed steps changed, because not all of it was undone." }]),
    ];
    default: return [];
  }
}

function isRollbackComplete(run: Run): boolean {
  return run.rollback.every((it) => it.status === "succeeded")
    && (run.rollback.length > 0 || run.steps.every((it) => it.status !== "succeeded") || run.mode === "observe");
}

// What a run would do now.
import { html, nothing, type TemplateResult } from "lit";
import { quoted } from "../parts/command";
import { moment } from "../parts/moment";
import { lockAddress, runLink } from "../parts/names";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import type { Schemas } from "../record/api";
import { duration } from "../record/time";

type Plan = Schemas["Plan"];
type Step = Schemas["PlannedStep"];

/** How what a run does can be undone. */
export const effects: Record<Schemas["Effect"], string> = {
  none: "it changes nothing", reversible: "its rollback or another run undoes it", external: "only others can undo it, or by hand",
  unknown: "nobody has said whether it can be undone", irreversible: "it cannot be undone",
};

/** @param isRun whether a request is a run that is known */
export function plan(of: Plan, waiters: number, isRun: (id: string) => boolean): TemplateResult {
  return html`
    ${lock(of, waiters, isRun)}
    ${of.foreign_locks.map((it) => html`<p>${it.use === "respect" ? "Respects" : "Takes"} <code>${it.foreign_lock}</code>: ${status(it.state)}${
      it.held_by ? ` by ${it.held_by.holder}` : ""}${it.problem ? `: ${it.problem}` : ""}</p>`)}
    ${of.warnings.length ? html`<ul>${of.warnings.map((it) => html`<li class="problem">Warning: ${it}</li>`)}</ul>` : nothing}
    ${of.plan.effect === "none" ? nothing : html`<p class=${of.plan.effect === "irreversible" ? "problem" : "quiet"}>Undoing: ${effects[of.plan.effect]}.</p>`}
    ${of.probe ? probe(of.probe) : nothing}
    ${Object.entries(of.plan.secret_sources ?? {}).map(([name, source]) => bounds(`secret ${name}`, source))}
    ${steps(of)}
    <details><summary class="quiet">Plan <code class="hash">${of.plan_hash}</code></summary>
      <pre>${shown(JSON.stringify(of.plan, null, 2))}</pre></details>`;
}

/** Characters that a reader does not see, which could make a plan look like another one; not line breaks and tabs. */
const HIDDEN = /(?![\n\t\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text of a plan as it is, with what a reader would not see as its number. */
export const shown = (text: string): string => text.replace(HIDDEN, (it) => `\\u{${it.codePointAt(0)!.toString(16)}}`);

/** What a probe sees, and what of it is not as desired. */
export function probe(of: Schemas["ComparedObservation"]): TemplateResult {
  return html`<h3>State now</h3>
    ${of.unknown !== undefined ? html`<p class="problem">Unknown: ${shown(of.unknown)}</p>` : html`
      ${of.as_desired === undefined ? nothing : of.as_desired ? html`<p>${status("as desired")}</p>` : html`<p>${status("drifted")}</p>
        <ul>${of.differences?.map((it) => html`<li><code>${shown(it.path)}</code> is ${"actual" in it ? html`<code>${shown(JSON.stringify(it.actual))}</code>` : "missing"},
          not <code>${shown(JSON.stringify(it.desired))}</code></li>`)}</ul>`}
      <details><summary class="quiet">State <code class="hash">${of.fingerprint}</code></summary><pre>${shown(JSON.stringify(of.state, null, 2))}</pre></details>`}`;
}

/** The steps of a plan, and its rollback. */
export function steps(of: { steps: Step[]; rollback: Step[] }): TemplateResult {
  return html`<h3>Steps</h3>
    <ol class="steps">${of.steps.map(step)}</ol>
    ${of.rollback.length ? html`<h3>Rollback of the run, if a step fails</h3><ol class="steps">${of.rollback.map(step)}</ol>` : nothing}`;
}

function lock(of: Plan, waiters: number, isRun: (id: string) => boolean): TemplateResult {
  if (of.lock_name === null) return html`<p>It takes no lock, and waits for none.</p>`;
  const holder = of.held_by;
  return html`<p>Lock <a href=${lockAddress(of.lock_name)}>${of.lock_name}</a>: ${status(of.lock_state)}${holder ? html`${of.lock_state === "held" ? "" : ", held"} by <strong>${holder.actor}</strong>
      (${isRun(holder.request_id) ? runLink(holder.request_id, holder.intent) : holder.intent}) since ${moment(holder.created_at, "since")}${
      of.holder ? html`; <strong class="problem">its process is gone</strong>` : nothing}` : nothing}.
      ${waiters ? `${waiters === 1 ? "1 request waits" : `${waiters} requests wait`} for it.` : nothing}
      ${of.frozen ? "problem" in of.frozen ? html`Frozen: ${of.frozen.problem}.`
        : html`Frozen by ${of.frozen.actor} until ${stamp(of.frozen.expires_at)}: ${of.frozen.reason}.` : nothing}</p>`;
}

function bounds(title: string, of: object | undefined): TemplateResult | typeof nothing {
  return of ? html`<div class="quiet">${title} <code>${shown(Object.entries(of).map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(" "))}</code></div>` : nothing;
}

function step(of: Step): TemplateResult {
  const undo = of.rollback?.map(quoted).join(" ") ?? of.rollback_script;
  return html`<li><strong>${of.name}</strong> <span class="quiet">at most ${duration(of.timeout_seconds)}${of.repeatable ? ", repeatable" : ""}</span>
    ${bounds("limits", of.limits)}${bounds("output", of.output)}${bounds("retry", of.retry)}
    ${Object.entries(of.env).map(([name, value]) => html`<div class="quiet"><code>${name}=${shown(value)}</code></div>`)}
    <pre>${shown(of.script?.trimEnd() ?? of.run?.map(quoted).join(" ") ?? "")}</pre>
    ${undo ? html`<p class="undo">If a later step fails, it is undone by</p><pre>${shown(undo.trimEnd())}</pre>` : nothing}</li>`;
}

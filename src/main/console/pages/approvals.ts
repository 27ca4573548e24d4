// The runs that need an approval, the open ones first; and one of them, with what it would do, to approve or reject it.
import { html, nothing, type TemplateResult } from "lit";
import { announce } from "../parts/announce";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { ask } from "../parts/dialog";
import { moment } from "../parts/moment";
import { actor, approvalLink, intentLink, lockLink, runLink } from "../parts/names";
import { problem } from "../parts/problem";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { Limit, table } from "../parts/table";
import { call, type Schemas } from "../record/api";
import { approvalShape, objection, type Approval } from "../record/approval";
import { overview } from "../record/overview";
import { Reading } from "../record/reading";
import { session } from "../record/session";
import { effects, probe, shown, steps } from "./intent-plan";

type InFull = Schemas["ApprovalInFull"];
/** A vote changes no row of the overview until it is the last one. */
const CORRECTION_MS = 10_000;

class Approvals extends PageComponent {
  private readonly list = new Reading(this, async (signal) => (await call("GET /approvals", { signal })).approvals);
  private readonly one = new Reading(this, (signal) => call("GET /approvals/{request_id}", { path: { request_id: this.name }, signal }));
  private readonly limits = [new Limit(this), new Limit(this)];
  private shape = "";
  private correction: ReturnType<typeof setInterval> | undefined;

  constructor() {
    super();
    this.observe(overview.state, session.caller);
  }

  private get reading(): Reading<unknown> {
    return this.name ? this.one : this.list;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.reading.restart();
    this.correction = setInterval(() => { if (!document.hidden) this.reading.again(); }, CORRECTION_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.correction);
  }

  protected override willUpdate(): void {
    const shape = approvalShape(overview.state.value);
    if (shape !== this.shape && this.shape) this.reading.again();
    this.shape = shape;
  }

  override render(): TemplateResult {
    if (this.name) return this.detail();
    const all = this.list.value;
    // One template, so that the heading keeps the focus when the list arrives.
    return html`<h1>Approvals</h1>${problem(this.list.problem)}${all ? this.lists(all)
      : this.list.problem ? nothing : html`<p class="quiet">Reading the approvals</p>`}`;
  }

  private lists(all: Approval[]): TemplateResult {
    const open = all.filter((it) => it.state === "open");
    return html`${all.length === 0 ? html`<p class="empty">No run needs or needed an approval. An intent requires it with <code>approve</code>, and
        so does the policy of the home.</p>` : nothing}
      ${all.length > 0 && open.length === 0 ? html`<p class="empty">No run waits for approval.</p>` : nothing}
      ${this.rows(0, "Open", open)}${this.rows(1, "Decided or expired", all.filter((it) => it.state !== "open"))}`;
  }

  private rows(index: number, caption: string, rows: Approval[]): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    const limit = this.limits[index]!;
    return html`${table({ caption: html`${caption}<span class="count">${rows.length}</span>`, rows: limit.of(rows), key: (it) => it.request_id, columns: [
      { name: "Run", cell: (it) => approvalLink(it.request_id, it.intent) },
      { name: "State", cell: (it) => status(it.state) },
      { name: "Votes", kind: "short", cell: (it) => `${it.have} of ${it.need}` },
      { name: "Requested by", cell: (it) => actor(it.actor, it.on_behalf_of) },
      { name: "Lock", cell: (it) => it.lock_name ? lockLink(it.lock_name) : "" },
      { name: "Asked", cell: (it) => it.asked },
      { name: "Requested", kind: "short", cell: (it) => moment(it.requested_at, "ago") },
      { name: "Until", kind: "short", cell: (it) => it.state === "open" ? moment(it.expires_at, "left") : stamp(it.expires_at) },
      { name: "Later runs", kind: "short", cell: (it) => it.standing.map((later) => html`<div>${later.remaining}, ${moment(later.until, "left")}</div>`) },
    ] })}${limit.note(rows.length)}`;
  }

  private detail(): TemplateResult {
    const it = this.one.value;
    return html`<div class="head"><h1>${it ? html`${it.intent} <span class="quiet">${it.intent_version}</span>` : "Approval"}
      <code class="id">${this.name}</code></h1></div>
      ${it ? this.inFull(it) : problem(this.one.problem)}
      ${it ? nothing : this.one.problem ? html`<p>See <a href="/console/approvals">all approvals</a>.</p>` : html`<p class="quiet">Reading the plan</p>`}`;
  }

  private inFull(it: InFull): TemplateResult {
    const before = it.last_success;
    return html`<p class="verdict">${status(it.state)} ${it.have} of ${it.need} ${it.need === 1 ? "vote" : "votes"}, asked: ${it.asked}.
        <span class="quiet">${it.state === "open" ? html`Open until ${stamp(it.expires_at)}, ${moment(it.expires_at, "left")}.` : nothing}</span></p>
      ${problem(this.one.problem)}${this.vote(it)}
      <dl>
        <dt>Run</dt><dd>${runLink(it.request_id, it.intent)} ${status(it.status)}</dd>
        <dt>Requested by</dt><dd>${actor(it.actor, it.on_behalf_of)}, ${moment(it.requested_at, "ago")}</dd>
        ${it.reason ? html`<dt>Reason</dt><dd>${it.reason}</dd>` : nothing}
        <dt>Intent</dt><dd>${intentLink(it.intent)}</dd>
        <dt>Lock</dt><dd>${it.lock_name ? lockLink(it.lock_name) : html`<span class="quiet">none</span>`}</dd>
        <dt>Changed</dt><dd>${before ? html`${before.changed.length > 0 ? html`<strong>${before.changed.join(", ")}</strong>` : "nothing"}
          since run ${runLink(before.request_id, before.intent)}, the last success under the same lock, ${moment(before.finished_at, "ago")}`
          : "nothing has succeeded under this lock before"}</dd>
        ${it.standing.length > 0 ? html`<dt>Later runs</dt><dd>${it.standing.map((later) => html`<div>${later.principal} approved ${later.remaining} more with this
          plan, until ${stamp(later.until)}, ${moment(later.until, "left")}</div>`)}${command(`tower reject ${it.request_id} --reason 'no longer needed'`)}</dd>` : nothing}
        <dt>Undoing</dt><dd>${it.plan.effect === "irreversible" ? html`<strong>${effects.irreversible}</strong>` : effects[it.plan.effect]}</dd>
        <dt>Parameters</dt><dd>${this.parameters(it)}</dd>
      </dl>
      <h2>Plan <code class="hash">${it.plan_hash}</code></h2>
      ${it.plan.probe ? probe(it.plan.probe) : nothing}
      ${steps(it.plan)}
      <details><summary class="quiet">The whole plan, of which this is the hash</summary><pre>${shown(JSON.stringify(it.plan, null, 2))}</pre></details>
      ${it.votes.length === 0 ? nothing : table({ caption: "Votes", rows: it.votes, key: (vote) => vote.principal, columns: [
        { name: "Person", cell: (vote) => html`${vote.principal}${vote.token === vote.principal ? nothing : html` <span class="quiet">as ${vote.token}</span>`}` },
        { name: "Vote", cell: (vote) => status(vote.decision === "approve" ? "approved" : "rejected") },
        { name: "When", kind: "short", cell: (vote) => moment(vote.at, "ago") },
        { name: "Reason", cell: (vote) => vote.standing ? html`${vote.reason ?? ""} given with run ${runLink(vote.standing)}` : vote.reason ?? "" },
      ] })}`;
  }

  private parameters(it: InFull): TemplateResult {
    const all = Object.entries(it.plan.params);
    const secret = Object.keys(it.plan.secrets);
    if (all.length + secret.length === 0) return html`<span class="quiet">none</span>`;
    return html`<ul class="run-values">${all.map(([name, value]) => html`<li><span class="quiet">${name}</span> <code>${shown(String(value))}</code></li>`)}
      ${secret.map((name) => html`<li><span class="quiet">${name}</span> secret, not shown</li>`)}</ul>`;
  }

  private vote(it: InFull): TemplateResult | typeof nothing {
    if (it.state !== "open") return nothing;
    const against = objection(it, session.caller.value);
    const button = (label: string, kind: string, decide: () => void) => html`<button type="button" class=${kind}
      aria-disabled=${against ? "true" : "false"} aria-describedby="may-vote" @click=${() => { if (!against) decide(); }}>${label}</button>`;
    return html`<section class="call" aria-labelledby="decide"><h2 id="decide">Approve or reject</h2>
      <p id="may-vote">${against || "Your vote is for exactly the plan below. The run begins with the last vote that it needs; one rejection ends it."}</p>
      <p class="buttons">${button("Approve…", "primary", () => this.decide(it, "approve"))}
        ${button("Reject…", "danger", () => this.decide(it, "reject"))}</p>
      <p class="quiet">On the command line:</p><p>${command(`tower approve ${it.request_id} --plan-hash ${it.plan_hash}`)}</p></section>`;
  }

  /** Votes with the hash of the plan that was shown when the question was asked. */
  private decide(it: InFull, decision: "approve" | "reject"): void {
    const verb = decision === "approve" ? "Approve" : "Reject";
    void ask({
      title: `${verb} the run of ${it.intent}?`,
      text: html`Requested by ${it.actor}${it.on_behalf_of ? ` for ${it.on_behalf_of}` : ""}; plan <code class="hash">${it.plan_hash}</code>.`,
      fields: decision === "approve" ? html`<label>Reason, for the audit log <input name="reason" maxlength="1000" autocomplete="off"></label>` : undefined,
      needsReason: decision === "reject",
      action: `${verb} ${it.request_id}`,
      isDangerous: decision === "reject",
      perform: async (reason) => {
        const voted = await call("POST /approvals/{request_id}/votes", { path: { request_id: it.request_id },
          body: { decision, plan_hash: it.plan_hash, ...(reason ? { reason } : {}) } });
        announce(`Run of ${it.intent}: ${voted.state}, ${voted.have} of ${voted.need} votes.`);
        this.one.again();
      },
    });
  }
}

define("page-approvals", Approvals);

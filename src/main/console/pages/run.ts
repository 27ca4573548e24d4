// One run: what it does, what it waits for, what it has done, and what a person may do about it.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { action } from "../parts/action";
import { announce } from "../parts/announce";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { ask } from "../parts/dialog";
import { moment } from "../parts/moment";
import { actor, approvalAddress, intentAddress, intentLink, lockLink, runLink } from "../parts/names";
import { problem } from "../parts/problem";
import { go, replace } from "../parts/router";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { call, Problem, type Schemas } from "../record/api";
import { overview } from "../record/overview";
import { session } from "../record/session";
import { Signal } from "../record/signal";
import { now } from "../record/time";
import { isFinished, LiveRun, type Run } from "./live-run";
import { auditTable } from "./run-audit";
import "./run-output";
import { advice, between, meaning, settlements } from "./run-text";
import { startOf, timeline } from "./run-timeline";

type NextAction = Schemas["NextActions"][number];
const PAGES = /^\/(runs|locks|intents|tasks|mailboxes)(?:\/([^/?]+))?$/;

class RunPage extends PageComponent {
  private live: LiveRun | null = null;
  private ends: Array<() => void> = [];

  constructor() {
    super();
    this.observe(overview.state, overview.connection, session.caller);
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("name") && this.isConnected) this.follow();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.name) this.follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.leave();
  }

  private follow(): void {
    if (this.live?.id === this.name) return;
    this.leave();
    const live = new LiveRun(this.name);
    this.live = live;
    const signals: Array<Signal<any>> = [live.run, live.audit, live.problem, live.auditProblem, live.isLive, live.renewedAt, live.failure];
    this.ends = signals.map((signal) => signal.observe(() => this.requestUpdate()));
    // The bars of a run grow while it continues.
    this.ends.push(now.observe(() => { if (live.run.value && !isFinished(live.run.value)) this.requestUpdate(); }));
    let last = "";
    this.ends.push(live.run.observe(() => {
      const run = live.run.value;
      if (!run || run.status === last) return;
      if (last) announce(`Run of ${run.intent}: ${run.status.replace("_", " ")}.`);
      last = run.status;
    }));
    live.start();
  }

  private leave(): void {
    this.live?.stop();
    this.live = null;
    for (const end of this.ends) end();
    this.ends = [];
  }

  override updated(): void {
    const run = this.live?.run.value;
    if (run) document.title = `${this.isCurrent() ? run.status.replace("_", " ") : "reconnecting"}: ${run.intent} · Run · Tower Executor`;
  }

  override render(): TemplateResult {
    const run = this.live?.run.value;
    return html`
      <div class="head">
        <h1>${run ? html`${run.intent} <span class="quiet">${run.intent_version}</span>` : "Run"} <code class="id">${this.name}</code></h1>
        ${run ? html`<p class="buttons">${this.cancelButton(run)}${this.settleButton(run)}${this.againButton(run)}</p>` : nothing}
      </div>
      ${this.trouble(this.live?.problem.value)}
      ${run ? this.content(run, this.live!)
        : this.live?.problem.value ? html`<p>See <a href="/console/runs">the newest runs</a>.</p>`
        : html`<p class="quiet">Reading the run</p>`}`;
  }

  /** The frame already reports that the service is unreachable. */
  private trouble(it: unknown): TemplateResult | typeof nothing {
    return it instanceof Problem && it.status === 0 && this.live?.run.value ? nothing : problem(it);
  }

  private content(run: Run, live: LiveRun): TemplateResult {
    return html`
      <p class="verdict">${status(run.status)} ${meaning(run)} ${this.time(run)} ${this.age(live)}</p>
      ${this.awaiting(run)}${this.waiting(run)}${this.heartbeat(run, live)}${this.advised(run)}
      ${run.warnings.length > 0 ? html`<section class="call wary" aria-labelledby="warnings"><h2 id="warnings">Warnings</h2>
        <ul>${run.warnings.map((it) => html`<li>${it}</li>`)}</ul></section>` : nothing}
      <div class="run-parts">
        <section aria-labelledby="facts"><h2 id="facts">Facts</h2>${this.facts(run)}</section>
        <section aria-label="Timeline">${timeline(run, live.audit.value, (log) => this.showOutput(log))}</section>
      </div>
      <section aria-labelledby="output"><h2 id="output">Output</h2>
        <run-output .live=${live} .run=${run}></run-output></section>
      ${auditTable(run, live.audit.value)}${this.trouble(live.auditProblem.value)}`;
  }

  private showOutput(log: string): void {
    replace({}, encodeURIComponent(log));
    this.querySelector("run-output")?.scrollIntoView({ block: "nearest" });
    this.querySelector<HTMLElement>("run-output [role=tab][aria-selected=true]")?.focus();
  }

  private time(run: Run): TemplateResult {
    if (!run.finished_at) return html`<span class="quiet">Requested ${moment(run.created_at, "ago")}.</span>`;
    return html`<span class="quiet">Ended ${moment(run.finished_at, "ago")} after ${
      between(run.created_at, run.finished_at)}.</span>`;
  }

  /** Whether the page shows the present state: that of a run that is followed, or has ended. */
  private isCurrent(): boolean {
    const run = this.live?.run.value;
    return Boolean(run && isFinished(run)) || (this.live?.isLive.value === true && overview.connection.value.state !== "reconnecting");
  }

  /** While the run cannot be followed, what the page shows may be over. */
  private age(live: LiveRun): TemplateResult | typeof nothing {
    if (this.isCurrent() || !live.asOf.value) return nothing;
    return html`<strong class="lost">as of ${moment(live.asOf.value, "clock")}; reconnecting</strong>`;
  }

  private awaiting(run: Run): TemplateResult | typeof nothing {
    const it = run.approval;
    if (run.status !== "awaiting_approval" || !it) return nothing;
    return html`<section class="call" aria-labelledby="awaits"><h2 id="awaits">Waits for approval</h2>
      <p>${it.have} of ${it.need}, until ${stamp(it.expires_at)}, ${moment(it.expires_at, "left")}.</p>
      <p><a class="button" href=${approvalAddress(run.request_id)}>See the plan, and vote</a></p></section>`;
  }

  private waiting(run: Run): TemplateResult | typeof nothing {
    if (run.status !== "waiting") return nothing;
    const waiting = run.waiting;
    const name = waiting?.lock_name ?? run.lock_name;
    const position = waiting?.position ?? run.position;
    const held = waiting?.held_by;
    return html`<section class="call" aria-labelledby="waits"><h2 id="waits">Waits ${name ? html`for lock ${lockLink(name)}` : "for an executor"}</h2>
      <p>${position ? html`<b>Place ${position}</b>, since` : "Since"} ${moment(run.created_at, "since")}.
        ${held ? html`Held by ${held.actor} for ${runLink(held.request_id, held.intent)} since ${moment(held.created_at, "since")}${
          waiting?.holder === "gone" ? html`; <strong class="lost">its process is gone</strong>` : ""}.` : nothing}</p>
      ${waiting?.ahead?.length ? html`<p>Ahead of it:</p><ol>${waiting.ahead.map((it) => html`<li>${runLink(it.request_id, it.intent)}
        ${actor(it.actor)}${it.since ? html`, since ${moment(it.since, "since")}` : nothing}</li>`)}</ol>` : nothing}
      <p>${this.wayOut(run)}</p></section>`;
  }

  private wayOut(run: Run): TemplateResult | string {
    const waiting = run.waiting;
    const name = waiting?.lock_name ?? run.lock_name;
    const lock = name ? lockLink(name) : "";
    switch (waiting?.state) {
      case "stale": return html`The holder no longer renews the lock. An operator may take it over or release it: see ${lock}.`;
      case "frozen": return html`The lock is frozen${waiting.frozen && "reason" in waiting.frozen ? html` by ${waiting.frozen.actor}:
        “${waiting.frozen.reason}”, until ${moment(waiting.frozen.expires_at, "clock")}` : ""}.
        The run starts when the freeze ends; an operator may lift it: see ${lock}.`;
      case "corrupt": return html`The lock cannot be read${waiting.problem ? html`: ${waiting.problem}` : ""}. An operator must look at it: see ${lock}.`;
      case "queued": return html`No executor has taken it from the queue yet: see <a href="/console/hosts">the hosts</a>.`;
      case "foreign_lock": return html`It has its own lock and waits for a lock of another tool, ${waiting.foreign_lock}:
        ${waiting.foreign_state}. It starts when that is free.`;
      case "unknown": return html`What it waits for cannot be read${waiting.problem ? html`: ${waiting.problem}` : ""}.`;
      default: return html`It starts by itself when its turn comes. To give up its place, cancel it.`;
    }
  }

  private heartbeat(run: Run, live: LiveRun): TemplateResult | typeof nothing {
    const row = overview.state.value?.runs[run.request_id];
    const failing = live.failure.value
      ?? (row?.heartbeat_failures ? { consecutive_failures: row.heartbeat_failures.consecutive, error: row.heartbeat_failures.last_error } : null);
    if (isFinished(run) || !failing) return nothing;
    return html`<section class="call bad" aria-labelledby="failing"><h2 id="failing">Heartbeats fail</h2>
      <p>The lock could not be renewed ${failing.consecutive_failures} times in a row: ${failing.error}. The service tries again, and
        stops the run before others can take the lock.</p></section>`;
  }

  private advised(run: Run): TemplateResult | typeof nothing {
    const name = run.lock?.lock_name ?? run.lock_name;
    const all = advice(run, name ? overview.state.value?.locks[name] : undefined);
    const next = run.next_actions ?? [];
    if (all.length === 0 && next.length === 0) return nothing;
    return html`<section class="call bad" aria-labelledby="what-to-do"><h2 id="what-to-do">What to do</h2>
      <ol>${all.map((it) => html`<li>${it.text}${it.command ? html`<br>${command(it.command)}` : nothing}</li>`)}</ol>
      ${next.some((it) => it.command) ? html`<p class="quiet">On the command line:</p>
        <ul class="commands">${next.filter((it) => it.command).map((it) => html`<li>${command(it.command!)} ${this.purpose(it)}</li>`)}</ul>` : nothing}
      </section>`;
  }

  private purpose(next: NextAction): TemplateResult {
    const page = next.method === "GET" && next.href ? PAGES.exec(next.href) : null;
    return html`${page ? html`<a href="/console${next.href}">${next.why}</a>` : next.why}`;
  }

  private facts(run: Run): TemplateResult {
    const lock = run.lock;
    const row = overview.state.value?.runs[run.request_id];
    const renewed = this.live?.renewedAt.value || row?.last_heartbeat_at;
    const start = startOf(run, this.live?.audit.value ?? []);
    const fact = (name: string, value: unknown) => value ? html`<dt>${name}</dt><dd>${value}</dd>` : nothing;
    return html`<dl class="run-facts">
      ${fact("Intent", html`${intentLink(run.intent)} ${run.intent_version}, ${run.mode}`)}
      ${fact("Requested by", actor(run.actor, run.on_behalf_of))}
      ${fact("Repeats", run.again && runLink(run.again))}
      ${fact("Requested", html`${stamp(run.created_at)}, ${moment(run.created_at, "ago")}`)}
      ${fact("Started", start && stamp(start))}
      ${fact("Ended", run.finished_at && stamp(run.finished_at))}
      ${fact("Lock", lock
        ? html`${lockLink(lock.lock_name)}, token <code>${lock.fencing_token}</code>, ttl ${lock.ttl_seconds} s${lock.stolen ? ", taken over from a stale holder" : ""}${
          lock.lost ? html`, <strong class="lost">lost</strong>` : ""}`
        : run.lock_name ? html`${lockLink(run.lock_name)} <span class="quiet">(${isFinished(run) ? "not acquired" : "not yet acquired"})</span>`
        : html`<span class="quiet">none</span>`)}
      ${isFinished(run) || !lock ? nothing : fact("Heartbeat", lock.heartbeat === "progress"
        ? html`by progress${run.last_progress_at ? html`, last ${moment(run.last_progress_at, "ago")}` : ""}`
        : html`by the clock${renewed ? html`, lock renewed ${moment(renewed, "ago")}` : ""}`)}
      ${fact("Failed heartbeats", run.heartbeat_failures)}
      ${fact("Host", run.host_id && html`<a href="/console/hosts">${run.host_id}</a>`)}
      ${fact("Queued", run.queued && "yes, any executor of the home could take it")}
      ${fact("Result", run.result)}
      ${fact("Failed step", run.failure_step)}
      ${fact("Approval", run.approval && html`<a href=${approvalAddress(run.request_id)}>${run.approval.state}</a>, ${run.approval.have} of ${run.approval.need}`)}
      ${fact("Refusal", run.refusal && html`<code>${run.refusal.error}</code>`)}
      ${fact("Parameters", this.parameters(run))}
      ${Object.entries(run.metadata).map(([name, value]) => fact(name, text(value)))}
      ${fact("Trace", run.traceparent && html`<code>${run.traceparent.split("-")[1]}</code>`)}
    </dl>`;
  }

  private parameters(run: Run): TemplateResult {
    if (!run.params) return html`<span class="quiet">not recorded</span>`;
    const all = Object.entries(run.params);
    const secret = run.secret_params ?? [];
    if (all.length + secret.length === 0) return html`<span class="quiet">none</span>`;
    return html`<ul class="run-values">${all.map(([name, value]) => html`<li><span class="quiet">${name}</span> <code>${text(value)}</code></li>`)}
      ${secret.map((name) => html`<li><span class="quiet">${name}</span> secret, not recorded</li>`)}</ul>`;
  }

  private cancelButton(run: Run): TemplateResult | typeof nothing {
    if (isFinished(run)) return nothing;
    const isOwn = session.caller.value?.name === run.actor;
    return action("Cancel the run", isOwn ? "agent" : "operator", () => ask({
      title: `Cancel the run of ${run.intent}?`,
      text: run.status === "awaiting_approval" ? "It needs no more votes and never starts. Nothing has been changed."
        : run.status === "waiting"
        ? "It gives up its place in the queue and never starts. Nothing has been changed."
        : "The running step is ended, completed steps that have a rollback are undone, and the lock is released.",
      action: `Cancel ${run.request_id}`,
      isDangerous: true,
      dismiss: "Let it continue",
      perform: async () => {
        await call("POST /runs/{id}/cancel", { path: { id: run.request_id }, body: {} });
        void this.live?.read();
      },
    }), "danger");
  }

  /** For a run whose end nobody saw, if its intent could look before it. */
  private settleButton(run: Run): TemplateResult | typeof nothing {
    if ((run.status !== "interrupted" && run.status !== "lock_lost") || !run.probe || (run.settled && run.settled !== "unknown")) return nothing;
    const isOwn = session.caller.value?.name === run.actor;
    return action("Settle the run…", isOwn ? "agent" : "operator", () => ask({
      title: `Settle the run of ${run.intent}?`,
      text: "The probe of the intent looks. If the desired state holds, or the state is that before the run, this is recorded for good, and the lock that the run still has is released.",
      action: `Settle ${run.request_id}`,
      perform: async () => {
        const found = await call("POST /runs/{id}/settle", { path: { id: run.request_id }, body: {} });
        announce(found.unknown ? `Unknown: ${found.unknown}` : settlements[found.settled]);
        void this.live?.read();
      },
    }));
  }

  private againButton(run: Run): TemplateResult {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(run.params ?? {})) query.set(`param.${name}`, text(value));
    if (isFinished(run)) query.set("again", run.request_id);
    const address = intentAddress(run.intent) + (query.size > 0 ? `?${query}` : "");
    const label = run.params ? "Run again with the same values" : "Run again";
    const note = run.secret_params?.length ? `Asks for ${run.secret_params.join(", ")} again.`
      : run.params ? "" : "Its values were not recorded.";
    return session.may("agent")
      ? html`<a class="button" href=${address} title=${note || nothing}>${label}</a>`
      : action(label, "agent", () => go(address));
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

define("page-run", RunPage);

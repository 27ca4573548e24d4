import { html, nothing, type TemplateResult } from "lit";
import { action } from "../parts/action";
import { define, PageComponent } from "../parts/component";
import { ask } from "../parts/dialog";
import { moment } from "../parts/moment";
import { actor, lockAddress, lockLink, runAddress, runLink } from "../parts/names";
import { problem } from "../parts/problem";
import { go, place } from "../parts/router";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { table } from "../parts/table";
import { address, call, Problem, send, type Schemas } from "../record/api";
import { overview } from "../record/overview";
import { Reading } from "../record/reading";
import { session } from "../record/session";
import { duration, span } from "../record/time";
import { defaults, field, json, problems, schema, type Schema, type Values } from "./intent-form";
import { effects, plan } from "./intent-plan";
import { announcement, newId } from "./lock-intents";

const PREFIX = "param.";
const RUNS = 20;
const PLAN_MS = 400;
const LONGEST_WAIT = 3_600;
const WAITS: Array<[string, string]> = [["", "refuse the run at once"], ["60", "wait up to 1 minute"], ["600", "wait up to 10 minutes"], ["3600", "wait up to 1 hour"]];

class Intent extends PageComponent {
  private readonly intent = new Reading(this, (signal) => call("GET /intents/{name}", { path: { name: this.name }, signal }));
  private readonly plan = new Reading(this, async (signal) => {
    const body = this.planBody();
    const response = await send("POST", address("POST /intents/{name}/plan", { path: { name: this.name } }),
      { body, headers: { "Content-Type": "application/json" }, signal });
    return { body, plan: await response.json() as Schemas["Plan"] };
  }, PLAN_MS);
  private readonly runs = new Reading(this, (signal) => call("GET /runs", { query: { intent: this.name, limit: RUNS }, signal }));
  private schema: Schema = { properties: {}, required: [] };
  private of: unknown;
  private values: Values = {};
  /** Fields whose problems are shown. */
  private touched = new Set<string>();
  /** Parameters of the address that the intent does not have. */
  private unknown: string[] = [];
  private wait = "";
  private isForced = false;
  /** The earlier run that the run repeats. */
  private again = "";
  private reason = "";
  private refusal: Problem | Error | null = null;
  private isStarting = false;
  private request = { id: "", body: "" };
  private announced = { lock: "", runs: "", intent: "" };
  private addressTimer: number | undefined;

  constructor() {
    super();
    this.observe(session.caller);
    this.watch(overview.state, () => this.changed());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.addressTimer);
  }

  /** Changes of the intent, of its lock and of its runs are the signal to read them again. */
  private changed(): void {
    const state = overview.state.value;
    if (!state) return;
    const runs = JSON.stringify([...Object.values(state.runs), ...Object.values(state.interrupted)].filter((it) => it.intent === this.name)
      .map((it) => [it.request_id, "status" in it ? it.status : ""]));
    const intent = JSON.stringify(state.intents[this.name] ?? null);
    const lock = this.lockName ? announcement(state, this.lockName) : "";
    const before = this.announced;
    this.announced = { lock, runs, intent };
    if (before.runs && before.runs !== runs) this.runs.again();
    if (before.intent && before.intent !== intent) this.intent.again();
    if (before.lock && lock && before.lock !== lock && this.plan.value) this.plan.again();
  }

  private get lockName(): string {
    return this.plan.value?.plan.lock_name ?? "";
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("name")) {
      this.announced = { lock: "", runs: "", intent: "" };
      this.of = undefined;
      this.refusal = null;
      this.reason = "";
      this.touched.clear();
      this.plan.clear();
      this.intent.restart();
      this.runs.restart();
      const wait = place.value.query.get("wait") ?? "";
      this.wait = /^[1-9]\d{0,3}$/.test(wait) && Number(wait) <= LONGEST_WAIT ? wait : "";
      this.isForced = place.value.query.get("force") === "true";
      this.again = place.value.query.get("again") ?? "";
    }
    const params = this.intent.value?.params;
    if (params && params !== this.of) {
      const isFirst = this.of === undefined;
      this.of = params;
      this.schema = schema(params);
      this.values = { ...defaults(this.schema), ...(isFirst ? this.given() : this.values) };
      this.planAgain();
    }
    const refused = this.refused(this.plan.problem);
    for (const name of Object.keys(refused)) this.touched.add(name);
  }

  /** Values of the address. A secret one is never taken from it. */
  private given(): Values {
    const values: Values = {};
    this.unknown = [...place.value.query.keys()].filter((key) => key.startsWith(PREFIX)).map((key) => key.slice(PREFIX.length))
      .filter((name) => !this.schema.properties[name]);
    if ([...place.value.query.keys()].some((key) => this.schema.properties[key.slice(PREFIX.length)]?.writeOnly)) this.writeAddress();
    for (const [key, value] of place.value.query) {
      const name = key.slice(PREFIX.length);
      if (key.startsWith(PREFIX) && this.schema.properties[name] && !this.schema.properties[name].writeOnly) {
        values[name] = value;
        this.touched.add(name);
      }
    }
    return values;
  }

  /** The values in the address, so that it can be kept or sent. */
  private writeAddress(): void {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => {
      const query = new URLSearchParams();
      const standard = defaults(this.schema);
      for (const [name, property] of Object.entries(this.schema.properties)) {
        if (!property.writeOnly && this.values[name] !== standard[name]) query.set(PREFIX + name, this.values[name] ?? "");
      }
      if (this.wait) query.set("wait", this.wait);
      if (this.isForced) query.set("force", "true");
      if (this.again) query.set("again", this.again);
      history.replaceState(null, "", location.pathname + (query.size ? `?${query}` : ""));
    }, 300);
  }

  private change(name: string, text: string, isDone: boolean): void {
    this.values = { ...this.values, [name]: text };
    if (isDone) this.touched.add(name);
    this.refusal = null;
    if (this.plan.problem) this.plan.problem = null;
    this.writeAddress();
    this.planAgain();
    this.requestUpdate();
  }

  private planAgain(): void {
    if (Object.keys(problems(this.schema, this.values)).length === 0) this.plan.again(PLAN_MS); else this.plan.clear();
  }

  private body(more: Record<string, unknown> = {}): string {
    const rest = JSON.stringify(more).slice(1, -1);
    return `{"params":${json(this.schema, this.values)}${rest ? `,${rest}` : ""}}`;
  }

  private planBody(): string {
    return this.body(this.isForced && session.may("operator") ? { force_lock: true } : {});
  }

  /** Problems that the service found, by the parameter that they point to. */
  private refused(error: unknown): Record<string, string> {
    const errors = error instanceof Problem ? error.body.errors as Array<{ pointer: string; message: string }> | undefined : undefined;
    return Object.fromEntries((errors ?? []).map((it) => [
      it.pointer.replace(/^\/params\//, "").replaceAll("~1", "/").replaceAll("~0", "~"), it.message]));
  }

  private async start(): Promise<void> {
    const found = problems(this.schema, this.values);
    if (Object.keys(found).length > 0) {
      for (const name of Object.keys(found)) this.touched.add(name);
      this.requestUpdate();
      await this.updateComplete;
      this.querySelector<HTMLElement>(".field [aria-invalid=true]")?.focus();
      return;
    }
    if (!this.isForced) return this.send(this.reason.trim());
    const lock = this.lockName;
    await ask({
      title: `Take ${lock || "the lock"} over and run ${this.name}`,
      text: html`If the lock is stale, the run takes it, and its previous holder has lost it. Make sure that the work under it has ended:
        otherwise both work at the same time. A lock that is renewed is never taken.`,
      needsReason: true, isDangerous: true, action: `Take ${lock || "the lock"} over and run`,
      perform: (reason) => this.send(reason, true),
    });
  }

  /**
   * Requests the run, only as the plan on the page shows it. A request whose answer was lost is repeated with the same
   * id, so that the run starts once.
   */
  private async send(reason: string, isInDialog = false): Promise<void> {
    const body = this.body({ ...(this.wait ? { wait_seconds: Number(this.wait) } : {}), ...(this.isForced ? { force_lock: true } : {}),
      ...(reason ? { reason } : {}), ...(this.again ? { again: this.again } : {}) });
    if (this.request.body !== body) this.request = { id: newId(), body };
    this.isStarting = true;
    this.refusal = null;
    this.requestUpdate();
    const shown = this.plan.value?.body === this.planBody() ? `,"plan_hash":"${this.plan.value.plan.plan_hash}"` : "";
    try {
      const response = await send("POST", address("POST /intents/{name}", { path: { name: this.name } }), {
        body: `${body.slice(0, -1)},"request_id":"${this.request.id}"${shown}}`,
        headers: { "Content-Type": "application/json", Prefer: "respond-async" },
      });
      const run = await response.json() as Schemas["Run"];
      this.request = { id: "", body: "" };
      go(runAddress(run.request_id));
    } catch (e) {
      if (!(e instanceof Problem) || (e.status > 0 && e.status < 500)) this.request = { id: "", body: "" };
      for (const name of Object.keys(this.refused(e))) this.touched.add(name);
      if (isInDialog) throw e;
      this.refusal = e as Error;
      if (this.plan.value) this.plan.again();
    } finally {
      this.isStarting = false;
      this.requestUpdate();
    }
  }

  override render(): TemplateResult {
    const intent = this.intent.value;
    return html`<p class="crumb"><a href="/console/intents">Intents</a></p>
      <h1>Intent <code>${this.name}</code></h1>
      ${problem(this.intent.problem)}
      ${this.intent.problem instanceof Problem && this.intent.problem.status === 404
        ? html`<p>If its file has an error, <a href="/console/intents">the list of intents</a> says so.</p>` : nothing}
      ${!intent ? (this.intent.problem ? nothing : html`<p class="quiet">Reading the intent</p>`) : html`
        <p class="lead">${intent.description}</p>
        ${this.facts(intent)}
        <div class="beside">${this.form(intent)}${this.planned(intent)}</div>
        ${this.last()}`}`;
  }

  private facts(intent: Schemas["Intent"]): TemplateResult {
    const modes = { observe: "only reads, and takes no lock", mutate: "changes the system, under its lock", reconcile: "restores the desired state, under its lock" };
    const facts: Array<[string, unknown]> = [["Mode", html`${intent.mode}: ${modes[intent.mode]}`], ["Version", intent.version]];
    if (intent.effect !== "none") facts.push(["Undoing", effects[intent.effect]]);
    if (intent.lock !== null) {
      facts.push(["Lock", intent.lock.includes("${") ? html`<code>${intent.lock}</code>` : html`<a href=${lockAddress(intent.lock)}>${intent.lock}</a>`],
        ["Renewed", intent.heartbeat === "timer" ? `by the clock; stale ${duration(intent.timeouts.lock_ttl)} after the last heartbeat`
          : `by progress; stale ${duration(intent.timeouts.lock_ttl)} after the last sign of it`]);
      if (intent.on_stale === "settle") facts.push(["If the lock is stale", "takes it once the probe has told what became of the run that held it"]);
      if (intent.on_stale === "take") facts.push(["If the lock is stale", "takes it"]);
      if (intent.on_lock_lost === "continue") facts.push(["If the lock is lost", "continues"]);
      if (intent.on_interrupted === "release") facts.push(["If it is interrupted", "its lock is released"]);
    }
    facts.push(["Time", `at most ${duration(intent.timeouts.run)}`]);
    const drifted = overview.state.value?.intents[intent.name]?.drifted_since;
    if (drifted) facts.push(["Drifted", html`its desired state has not held since ${stamp(drifted)}`]);
    if (intent.schedule) facts.push(["Schedule", html`<code>${intent.schedule}</code> in UTC, with seconds`]);
    return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      ${intent.warnings.map((it) => html`<p class="problem">Warning: ${it}</p>`)}`;
  }

  private form(intent: Schemas["Intent"]): TemplateResult {
    const names = Object.keys(this.schema.properties);
    const found = { ...problems(this.schema, this.values), ...this.refused(this.plan.problem), ...this.refused(this.refusal) };
    const others = Object.entries(found).filter(([name]) => !this.schema.properties[name]);
    const waits = intent.lock !== null || intent.respect.length > 0 || intent.exclusive.length > 0;
    const given = WAITS.some(([value]) => value === this.wait) ? WAITS : [...WAITS, [this.wait, `wait up to ${duration(Number(this.wait))}`] as [string, string]];
    const may = intent.allowed || !session.may("agent");
    return html`<section aria-labelledby="run"><h2 id="run">Run it</h2>
      <form class="run" novalidate @submit=${(event: Event) => {
        event.preventDefault();
        if (session.may("agent") && may && !this.isStarting) void this.start();
      }}>
        ${names.length ? names.map((name) => field(name, this.schema.properties[name]!, this.schema.required.includes(name), this.values[name] ?? "",
          this.touched.has(name) ? found[name] ?? "" : "", (text, isDone) => this.change(name, text, isDone))) : html`<p class="quiet">It has no parameters.</p>`}
        ${this.unknown.length ? html`<p class="problem" role="alert">The address has values that the intent has no parameters for: ${this.unknown.join(", ")}.
          They are not used.</p>` : nothing}
        ${others.map(([name, message]) => html`<p class="problem" role="alert"><strong>${name}</strong> ${message}</p>`)}
        ${waits ? html`<div class="field"><label for="wait">If the lock is held</label>
          <select id="wait" @change=${(event: Event) => { this.wait = (event.target as HTMLSelectElement).value; this.option(); }}>
            ${given.map(([value, text]) => html`<option value=${value} ?selected=${value === this.wait}>${text}</option>`)}</select></div>` : nothing}
        ${intent.lock !== null ? html`<div class="field"><label class="check" for="force"><input id="force" type="checkbox" .checked=${this.isForced}
            ?disabled=${!session.may("operator")} @change=${(event: Event) => { this.isForced = (event.target as HTMLInputElement).checked; this.option(); this.planAgain(); }}>
            Take the lock over if it is stale ${session.may("operator") ? nothing : html`<small>needs operator</small>`}</label></div>` : nothing}
        ${this.isForced ? nothing : html`<div class="field"><label for="reason">Reason <span class="quiet">optional, for the audit log</span></label>
          <input id="reason" maxlength="1000" autocomplete="off" .value=${this.reason} @input=${(event: Event) => { this.reason = (event.target as HTMLInputElement).value; }}></div>`}
        ${problem(Object.keys(this.refused(this.refusal)).length ? null : this.isWaitable ? this.refusal?.message : this.refusal)}
        ${this.remedy()}
        <p class="actions">${may ? html`<button class=${this.isForced ? "danger" : "primary"} aria-disabled=${session.may("agent") && !this.isStarting ? "false" : "true"}>Run
          ${this.name}${this.isForced ? "…" : ""}${session.may("agent") ? nothing : html` <small>needs agent</small>`}</button>`
          : html`<button aria-disabled="true" type="button">Run ${this.name} <small>your token does not permit this intent</small></button>`}
          <span role="status" class="quiet">${this.isStarting ? "Starting" : this.outlook()}</span></p>
      </form></section>`;
  }

  private option(): void {
    this.writeAddress();
    this.requestUpdate();
  }

  /** What would happen to the run now. */
  private outlook(): string {
    const state = this.plan.value?.plan.lock_state;
    if (state === "held") return this.wait ? "It waits in line, because the lock is held." : "It would be refused now, because the lock is held.";
    if (state === "frozen") return this.wait ? "It waits, because the lock is frozen." : "It would be refused now, because the lock is frozen.";
    if (state === "stale") return this.isForced || this.intent.value?.on_stale === "take" ? "It takes the stale lock over." : "It would be refused now, because the lock is stale.";
    if (state === "corrupt") return "It would be refused now, because the lock cannot be read.";
    return "";
  }

  private get isWaitable(): boolean {
    return this.refusal instanceof Problem && ["lock_blocked", "lock_frozen", "foreign_lock"].includes(this.refusal.code);
  }

  /** After a refusal that a wait would have avoided. */
  private remedy(): TemplateResult | typeof nothing {
    if (!this.isWaitable || !(this.refusal instanceof Problem)) return nothing;
    const lock = this.refusal.body.lock_name;
    return html`<p class="actions">${action("Run, and wait up to 10 minutes", "agent", () => { this.wait = "600"; this.option(); void this.start(); })}
      ${typeof lock === "string" ? html`<a href=${lockAddress(lock)}>See lock ${lock}</a>` : nothing}</p>`;
  }

  private planned(intent: Schemas["Intent"]): TemplateResult {
    const found = this.plan.value;
    const isOld = found !== undefined && found.body !== this.planBody();
    const row = this.lockName ? overview.state.value?.locks[this.lockName] : undefined;
    return html`<section aria-labelledby="plan" class="plan" aria-busy=${isOld ? "true" : "false"}><h2 id="plan">Plan</h2>
      ${this.plan.problem && Object.keys(this.refused(this.plan.problem)).length === 0 ? problem(this.plan.problem) : nothing}
      ${found ? html`<div class=${isOld ? "old" : ""}>${plan(found.plan, row?.waiters ?? 0, (id) => Boolean(overview.state.value?.runs[id] ?? overview.state.value?.interrupted[id]))}</div>` : html`
        <p class="quiet">${Object.keys(problems(this.schema, this.values)).length || this.plan.problem ? "The plan appears when the values are valid." : "Planning"}</p>
        <h3>Steps</h3><ol class="steps">${intent.steps.map((name) => html`<li>${name}</li>`)}</ol>
        ${intent.rollback.length ? html`<h3>Rollback of the run</h3><ol class="steps">${intent.rollback.map((name) => html`<li>${name}</li>`)}</ol>` : nothing}`}</section>`;
  }

  private last(): TemplateResult {
    const runs = this.runs.value?.runs;
    return html`<section aria-labelledby="runs"><h2 id="runs">Last runs</h2>${problem(this.runs.problem)}
      ${!runs ? nothing : runs.length === 0 ? html`<p class="empty">No run yet. Fill in the form and run it, or type <code>tower run ${this.name}</code>.</p>` : html`
      ${table({ caption: `The last runs of ${this.name}, newest first`, isCaptionUnseen: true, rows: runs, key: (it) => it.request_id, columns: [
        { name: "Run", cell: (it) => runLink(it.request_id) },
        { name: "Status", cell: (it) => html`${status(it.status)}${it.failure_step ? html` <small class="quiet">in step ${it.failure_step}</small>` : nothing}` },
        { name: "Who", cell: (it) => actor(it.actor, it.on_behalf_of) },
        { name: "Requested", kind: "short", cell: (it) => stamp(it.created_at) },
        { name: "Duration", kind: "short", cell: (it) => (it.finished_at ? span(Date.parse(it.finished_at) - Date.parse(it.created_at)) : moment(it.created_at, "since")) },
        { name: "Lock", cell: (it) => (it.lock_name ? lockLink(it.lock_name) : "") },
      ] })}
      <p><a href=${`/console/runs?intent=${encodeURIComponent(this.name)}`}>All runs of ${this.name}</a></p>`}</section>`;
  }
}

define("page-intent", Intent);

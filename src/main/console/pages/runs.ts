// The newest runs. The filter is in the address; the overview says when to read again.
import { html, nothing, type TemplateResult } from "lit";
import { define, PageComponent } from "../parts/component";
import { moment } from "../parts/moment";
import { actor, lockLink, runLink } from "../parts/names";
import { problem } from "../parts/problem";
import { place, replace } from "../parts/router";
import { status } from "../parts/status";
import { table } from "../parts/table";
import { call, type Schemas } from "../record/api";
import { overview } from "../record/overview";
import { pages } from "../record/pages";
import { isFinished, type Run } from "./live-run";
import { between } from "./run-text";

type Status = Schemas["RunStatus"];
const STATUSES: Status[] = ["awaiting_approval", "waiting", "running", "succeeded", "failed", "cancelled", "timed_out", "lock_lost", "interrupted", "refused"];
const SINCE: Record<string, [string, number]> = { "1h": ["last hour", 3_600_000], "24h": ["last 24 hours", 86_400_000], "7d": ["last 7 days", 604_800_000] };
const STEP = 50;
/** The maximum number of runs of one page. */
const MOST = 1_000;
const BETWEEN_READINGS_MS = 1_000;
/** Readings take at most this share of the time. */
const SHARE = 10;
/** A run so short that the overview never showed it appears after this time. */
const CORRECTION_MS = 30_000;

class RunsPage extends PageComponent {
  private runs: Run[] | null = null;
  private hasMore = false;
  private failure: unknown = null;
  private asked = "";
  private shape = "";
  private isReading = false;
  private mustReadAgain = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private correction: ReturnType<typeof setInterval> | undefined;
  private wasLost = false;

  constructor() {
    super();
    this.observe(place);
    this.watch(place, () => { if (this.query() !== this.asked) void this.read(); });
    this.watch(overview.state, () => this.compare());
    this.watch(overview.connection, () => {
      const { state } = overview.connection.value;
      if (state === "live" && this.wasLost) this.readSoon(0);
      this.wasLost = state === "reconnecting";
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.wasLost = overview.connection.value.state === "reconnecting";
    this.shape = this.shapeOf();
    this.correction = setInterval(() => { if (overview.connection.value.state === "live" && !document.hidden) void this.read(); }, CORRECTION_MS);
    void this.read();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.timer = undefined;
    clearInterval(this.correction);
  }

  private query(): string {
    const query = new URLSearchParams(place.value.query);
    query.sort();
    return query.toString();
  }

  /** Changes when a run begins, ends, or changes its status; not with its heartbeats. */
  private shapeOf(): string {
    const state = overview.state.value;
    return state ? `${Object.values(state.runs).map((it) => `${it.request_id}${it.status}`).join()} ${Object.keys(state.interrupted).join()}` : "";
  }

  private compare(): void {
    const shape = this.shapeOf();
    const isFirst = this.shape === "";
    if (shape === this.shape) return;
    this.shape = shape;
    if (!isFirst) this.readSoon(BETWEEN_READINGS_MS);
  }

  private readSoon(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.read();
    }, ms);
  }

  private async read(): Promise<void> {
    this.mustReadAgain = this.isReading;
    if (this.isReading) return;
    this.isReading = true;
    const begin = performance.now();
    const asked = this.query();
    try {
      const filter = this.filter();
      const read = await pages(this.limit, MOST,
        (limit, cursor) => call("GET /runs", { query: { ...filter, limit, cursor } }), (page) => page.runs.length);
      this.runs = read.pages.flatMap((page) => page.runs);
      this.hasMore = read.hasMore;
      this.failure = null;
      this.asked = asked;
    } catch (e) {
      this.failure = e;
      if (asked !== this.asked) this.runs = null;
      this.asked = asked;
    }
    this.isReading = false;
    this.requestUpdate();
    if (this.query() !== asked) void this.read();
    else if (this.mustReadAgain) this.readSoon(Math.max(BETWEEN_READINGS_MS, SHARE * (performance.now() - begin)));
  }

  private get limit(): number {
    return Math.max(1, Math.floor(Number(place.value.query.get("limit"))) || STEP);
  }

  private value(name: string): string | undefined {
    return place.value.query.get(name)?.trim() || undefined;
  }

  private filter() {
    const since = this.value("since");
    const span = since ? SINCE[since] : undefined;
    return {
      intent: this.value("intent"), status: this.value("status") as Status | undefined, actor: this.value("actor"),
      lock_name: this.value("lock_name"),
      since: span ? new Date(Date.now() - span[1]).toISOString().replace(/\.\d+/, "") : since,
    };
  }

  private set(name: string, event: Event): void {
    replace({ [name]: (event.target as HTMLInputElement).value.trim() || undefined });
  }

  override render(): TemplateResult {
    return html`<h1>Runs</h1>${this.filters()}${problem(this.failure)}${this.list()}`;
  }

  private filters(): TemplateResult {
    const state = overview.state.value;
    const since = this.value("since");
    const chosen = this.value("status");
    const text = (name: string, label: string, known: string[]) => html`<label>${label}
      <input type=${name === "intent" ? "search" : "text"} name=${name} list="known-${name}" .value=${this.value(name) ?? ""} autocomplete="off" spellcheck="false"
        @change=${(event: Event) => this.set(name, event)}>
      <datalist id="known-${name}">${known.map((it) => html`<option value=${it}></option>`)}</datalist></label>`;
    const known = (values: Array<string | undefined>) => [...new Set(values.filter((it): it is string => Boolean(it)))].sort().slice(0, 200);
    return html`<form class="filters" role="search" aria-label="Filter the runs" @submit=${(event: Event) => event.preventDefault()}>
      ${text("intent", "Intent", known(Object.keys(state?.intents ?? {}).concat((this.runs ?? []).map((it) => it.intent))))}
      <label>Status <select name="status" .value=${chosen ?? ""} @change=${(event: Event) => this.set("status", event)}>
        <option value="">any</option>${STATUSES.map((it) => html`<option value=${it} ?selected=${it === chosen}>${it.replace("_", " ")}</option>`)}</select></label>
      ${text("actor", "Actor", known((this.runs ?? []).map((it) => it.actor)))}
      ${text("lock_name", "Lock", known((this.runs ?? []).map((it) => it.lock_name)))}
      <label>Requested <select name="since" .value=${since ?? ""} @change=${(event: Event) => this.set("since", event)}>
        <option value="">at any time</option>${Object.entries(SINCE).map(([value, [label]]) => html`<option value=${value} ?selected=${value === since}>${label}</option>`)}
        ${since && !SINCE[since] ? html`<option value=${since} selected>since ${since}</option>` : nothing}</select></label>
    </form>
    <p class="quick">${this.quick("All", undefined)} ${this.quick("Running", "running")} ${this.quick("Waiting", "waiting")}
      ${this.quick("Failed only", "failed")} ${this.quick("Interrupted", "interrupted")}
      ${this.isFiltered() ? html`<a href="/console/runs">Clear the filter</a>` : nothing}</p>`;
  }

  private quick(label: string, value: Status | undefined): TemplateResult {
    const query = new URLSearchParams(place.value.query);
    if (value) query.set("status", value); else query.delete("status");
    return html`<a href="/console/runs${query.size > 0 ? `?${query}` : ""}" aria-current=${this.value("status") === value ? "true" : nothing}>${label}</a>`;
  }

  private isFiltered(): boolean {
    return ["intent", "status", "actor", "lock_name", "since"].some((name) => this.value(name));
  }

  private list(): TemplateResult | typeof nothing {
    const runs = this.runs;
    if (!runs) return this.failure ? nothing : html`<p class="quiet">Reading the runs</p>`;
    if (runs.length === 0) {
      return this.isFiltered()
        ? html`<p class="empty">No run matches the filter. <a href="/console/runs">Show all runs</a>.</p>`
        : html`<p class="empty">No run yet. Run an intent: open one of <a href="/console/intents">the intents</a>, or type
            <code>tower run NAME</code> on the service's host.</p>`;
    }
    return html`<div class="runs">${table({
      caption: html`Newest runs<span class="count">${runs.length}</span>`,
      rows: runs,
      key: (run) => run.request_id,
      columns: [
        { name: "Run", cell: (run) => runLink(run.request_id, run.intent) },
        { name: "Status", cell: (run) => html`<span>${status(run.status)} ${this.detail(run)}</span>` },
        { name: "Actor", cell: (run) => actor(run.actor, run.on_behalf_of) },
        { name: "Lock", cell: (run) => run.lock_name ? lockLink(run.lock_name) : html`<span class="quiet">none</span>` },
        { name: "Requested", kind: "short", cell: (run) => moment(run.created_at, "ago") },
        { name: "Duration", kind: "number", cell: (run) => run.finished_at
          ? between(run.created_at, run.finished_at)
          : moment(run.created_at, "since") },
        { name: "Host", cell: (run) => run.host_id ?? "" },
      ],
    })}</div>${this.more(runs.length)}`;
  }

  private detail(run: Run): TemplateResult | typeof nothing {
    const at = run.steps.find((it) => it.status === "running");
    const text = run.status === "awaiting_approval" && run.approval ? `${run.approval.have} of ${run.approval.need}` : run.refusal ? run.refusal.error.replaceAll("_", " ")
      : run.failure_step && run.status !== "succeeded" ? `at ${run.failure_step}`
      : at && !isFinished(run) ? `${at.name}, ${run.steps.indexOf(at) + 1} of ${run.steps.length}`
      : run.status === "waiting" && run.position ? `place ${run.position}` : "";
    return text ? html`<span class="quiet">${text}</span>` : nothing;
  }

  private more(shown: number): TemplateResult | typeof nothing {
    if (!this.hasMore) return nothing;
    const limit = Math.max(2 * STEP, 2 * this.limit);
    return html`<p class="more">The newest ${shown.toLocaleString("en")} runs <button type="button" @click=${() => replace({ limit: String(limit) })}>Show more</button></p>`;
  }
}

define("page-runs", RunsPage);

// What happens now, on one page that may stay open: what needs a person first, then what runs, waits and is held.
import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { announce } from "../parts/announce";
import { define, PageComponent } from "../parts/component";
import { filterBox, matcher } from "../parts/filter";
import { left } from "../parts/left";
import { moment } from "../parts/moment";
import { actor, approvalLink, lockLink, runLink, shortId } from "../parts/names";
import { place } from "../parts/router";
import { status } from "../parts/status";
import { Limit, table } from "../parts/table";
import { call, type Schemas } from "../record/api";
import { approvalShape, waitsFor, type Approval } from "../record/approval";
import { overview, type LockRow, type Overview, type RunRow } from "../record/overview";
import { Reading } from "../record/reading";
import { session } from "../record/session";
import { span } from "../record/time";
import { approvals, concerns, isGone, type Concern } from "./now-attention";

/** The page may stay open, so its lists are short. */
const ROWS = 50;
/** How many of the runs that ended last are shown, and among how many of the newest runs they are searched. */
const FINISHED = 8;
const FINISHED_AMONG = 40;

const at = (a: { created_at?: string }, b: { created_at?: string }) => (a.created_at ?? "").localeCompare(b.created_at ?? "");
const ordinal = (n: number) => `${n}${n % 100 >= 11 && n % 100 <= 13 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th"}`;

class Now extends PageComponent {
  private readonly concerned = new Limit(this, ROWS);
  private readonly running = new Limit(this, ROWS);
  private readonly waiting = new Limit(this, ROWS);
  private readonly held = new Limit(this, ROWS);
  private readonly finished = new Reading(this, async (signal) =>
    (await call("GET /runs", { query: { limit: FINISHED_AMONG }, signal })).runs.filter((it) => it.finished_at)
      .sort((a, b) => b.finished_at!.localeCompare(a.finished_at!)).slice(0, FINISHED));
  private readonly approvals = new Reading(this, async (signal) => (await call("GET /approvals", { query: { state: "open" }, signal })).approvals);
  private readonly asked = new Limit(this, ROWS);
  private approvalShape = "";
  private unfinished = new Set<string>();
  /** Runs that ended since the finished ones were read. */
  private readonly ended = new Set<string>();

  constructor() {
    super();
    this.observe(overview.state, place, session.caller);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.finished.restart();
  }

  protected override willUpdate(): void {
    const ids = new Set(Object.keys(overview.state.value?.runs ?? {}));
    const shape = approvalShape(overview.state.value);
    if (shape !== this.approvalShape) {
      this.approvalShape = shape;
      this.approvals.again();
    }
    const ended = [...this.unfinished].filter((id) => !ids.has(id));
    this.unfinished = ids;
    if (ended.length > 0) {
      for (const id of ended) this.ended.add(id);
      this.finished.again();
    }
    for (const run of this.finished.value ?? []) {
      if (this.ended.delete(run.request_id)) announce(`Run ${run.intent} of ${run.actor} ${run.status.replaceAll("_", " ")}.`);
    }
  }

  override render(): TemplateResult {
    const state = overview.state.value;
    if (!state) return html`<h1>Now</h1><p class="quiet">Reading the state</p>`;
    const matches = matcher();
    const open = (this.approvals.value ?? []).filter((it) => state.runs[it.request_id]?.status === "awaiting_approval");
    const mine = open.filter((it) => waitsFor(it, session.caller.value));
    const worries = [...approvals(mine), ...concerns(state)];
    document.title = `${worries.length > 0 ? `(${worries.length}) ` : ""}Now · Tower Executor`;
    const runs = Object.values(state.runs).sort(at);
    // A run whose process is gone does not run; it needs attention.
    const running = runs.filter((it) => it.status === "running" && !isGone(it, state));
    const waiting = runs.filter((it) => it.status === "waiting");
    const held = Object.values(state.locks).filter((it) => it.state === "active");
    const isFound = (it: RunRow) => matches(it.intent, it.request_id, it.actor, it.on_behalf_of, it.lock_name, it.host_id, it.step?.name, it.waiting?.foreign_lock);
    const parts = [
      this.attention(worries.filter((it) => matches(it.state, ...it.words))),
      this.awaiting(open.filter((it) => !mine.includes(it) && matches(it.intent, it.request_id, it.actor, it.on_behalf_of, it.lock_name))),
      this.runs(running.filter(isFound)),
      this.waits(waiting.filter(isFound), state),
      this.locks(held.filter((it) => matches(it.lock_name, it.actor, it.intent, it.request_id, it.host_id)), state),
      this.last((this.finished.value ?? []).filter((it) => matches(it.intent, it.request_id, it.actor, it.lock_name, it.status))),
      this.hosts(Object.values(state.hosts).filter((it) => matches(it.host_id))),
    ];
    return html`
      <div class="head"><h1>Now</h1>${filterBox()}</div>
      ${this.summary(running, waiting, held, state)}
      ${worries.length + runs.length + held.length === 0 ? this.quiet(state) : nothing}
      ${parts.every((it) => it === nothing) ? html`<p class="empty">Nothing matches “${place.value.query.get("q")}”.</p>` : parts}`;
  }

  private summary(running: RunRow[], waiting: RunRow[], held: LockRow[], state: Overview): TemplateResult {
    const hosts = Object.values(state.hosts);
    const alive = hosts.filter((it) => it.alive).length;
    const stale = Object.values(state.locks).filter((it) => it.state === "stale").length;
    const frozen = Object.keys(state.freezes).length;
    const counts: Array<[count: number | string, word: string, address: string, kind: string]> = [
      [running.length, "running", "/console/runs?status=running", "busy"], [waiting.length, "waiting", "/console/runs?status=waiting", "quiet"],
      [held.length, "held", "/console/locks?state=held", "quiet"], [stale, "stale", "/console/locks?state=stale", stale ? "bad" : "quiet"],
      [frozen, "frozen", "/console/locks?state=frozen", frozen ? "wary" : "quiet"],
      [alive === hosts.length ? alive : `${alive} of ${hosts.length}`, alive === 1 && hosts.length === 1 ? "host alive" : "hosts alive", "/console/hosts",
        alive === hosts.length ? "quiet" : "bad"]];
    return html`<ul class="summary" aria-label="Counts">${counts.filter(([, , address]) => hosts.length > 0 || address !== "/console/hosts").map(([count, word, address, kind]) => html`<li class=${count === 0 ? "none" : kind}
      ><a href=${address}><strong>${count.toLocaleString("en")}</strong> ${word}</a></li>`)}</ul>`;
  }

  private quiet(state: Overview): TemplateResult {
    return html`<p class="empty">All quiet: nothing runs, waits or is held, and nothing needs attention. ${Object.keys(state.intents).length === 0
      ? html`There are no intents yet: write one to <code>intents/NAME.yaml</code>, and check it with <code>tower intents</code>.`
      : html`Run something: <code>tower run INTENT</code>, or open an <a href="/console/intents">intent</a>.`}</p>`;
  }

  private attention(found: Concern[]): TemplateResult | typeof nothing {
    if (found.length === 0) return nothing;
    return html`<section aria-labelledby="attention"><h2 id="attention">Needs attention<span class="count">${found.length}</span></h2>
      <ul class="concerns">${repeat(this.concerned.of(found), (it) => it.key, (it) => html`<li>
        <span class="what">${status(it.state)} <strong>${it.subject}</strong></span><span class="why">${it.text}</span><span class="help">${it.action}</span></li>`)}</ul>
      ${this.concerned.note(found.length)}</section>`;
  }

  private awaiting(rows: Approval[]): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    return html`${table({ caption: counted("Waiting for approval", rows.length), rows: this.asked.of(rows), key: (it) => it.request_id, columns: [
      { name: "Run", cell: (it) => approvalLink(it.request_id, it.intent) },
      { name: "Votes", kind: "short", cell: (it) => `${it.have} of ${it.need}` },
      { name: "Asked", cell: (it) => it.asked },
      { name: "Until", kind: "short", cell: (it) => moment(it.expires_at, "left") },
      { name: "Actor", cell: (it) => actor(it.actor, it.on_behalf_of) },
    ] })}${this.asked.note(rows.length)}`;
  }

  private runs(rows: RunRow[]): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    return html`${table({ caption: counted("Running", rows.length), rows: this.running.of(rows), key: (it) => it.request_id, columns: [
      { name: "Run", cell: (it) => runLink(it.request_id, it.intent) },
      { name: "Step", cell: step },
      { name: "Elapsed", kind: "short", cell: (it) => moment(it.created_at, "since") },
      { name: "Lock", cell: (it) => it.lock_name ? lockLink(it.lock_name) : "" },
      { name: "Actor", cell: (it) => actor(it.actor, it.on_behalf_of) },
      { name: "Host", cell: (it) => it.host_id ?? "" },
    ] })}${this.running.note(rows.length)}`;
  }

  private waits(rows: RunRow[], state: Overview): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    const sorted = [...rows].sort((a, b) => (a.lock_name ?? "").localeCompare(b.lock_name ?? "")
      || (a.waiting?.position ?? 0) - (b.waiting?.position ?? 0) || at(a, b));
    return html`${table({ caption: counted("Waiting", rows.length), rows: this.waiting.of(sorted), key: (it) => it.request_id, columns: [
      { name: "Run", cell: (it) => runLink(it.request_id, it.intent) },
      { name: "Waits for", cell: (it) => target(it, state) },
      { name: "Place", kind: "short", cell: (it) => it.waiting?.position ? ordinal(it.waiting.position) : "" },
      { name: "Behind", cell: (it) => behind(it, state) },
      { name: "Since", kind: "short", cell: (it) => moment(it.created_at, "since") },
      { name: "Actor", cell: (it) => actor(it.actor, it.on_behalf_of) },
    ] })}${this.waiting.note(rows.length)}`;
  }

  private locks(rows: LockRow[], state: Overview): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    const sorted = [...rows].sort((a, b) => a.lock_name < b.lock_name ? -1 : 1);
    return html`${table({ caption: counted("Held", rows.length), rows: this.held.of(sorted), key: (it) => it.lock_name, columns: [
      { name: "Lock", cell: (it) => lockLink(it.lock_name) },
      { name: "Time left", kind: "short", cell: (it) => it.holder === "gone" ? html`${status("gone")} ${moment(it.expires_at, "left")}` : left(it.expires_at, it.ttl_seconds) },
      { name: "Held by", cell: (it) => html`${it.actor ?? "unknown"} · ${holding(it, state)}` },
      { name: "For", kind: "short", cell: (it) => moment(it.created_at, "since") },
      { name: "Renewed", kind: "short", cell: (it) => moment(it.last_heartbeat_at) },
      { name: "Waiters", kind: "number", cell: (it) => it.waiters || "" },
    ] })}${this.held.note(rows.length)}`;
  }

  private last(rows: Array<Schemas["Run"]>): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    return table({ caption: "Finished last", rows, key: (it) => it.request_id, columns: [
      { name: "Run", cell: (it) => runLink(it.request_id, it.intent) },
      { name: "Result", cell: (it) => html`${status(it.status)}${it.failure_step ? html` in ${it.failure_step}` : nothing}` },
      { name: "Ended", kind: "short", cell: (it) => moment(it.finished_at) },
      { name: "Took", kind: "short", cell: (it) => span(Date.parse(it.finished_at!) - Date.parse(it.created_at)) },
      { name: "Lock", cell: (it) => it.lock_name ? lockLink(it.lock_name) : "" },
      { name: "Actor", cell: (it) => actor(it.actor, it.on_behalf_of) },
    ] });
  }

  private hosts(rows: Array<Overview["hosts"][string]>): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    return table({ caption: "Hosts", rows, key: (it) => it.host_id, columns: [
      { name: "Host", cell: (it) => html`<a href="/console/hosts">${it.host_id}</a>` },
      { name: "State", cell: (it) => status(it.alive ? "alive" : "gone") },
      { name: "Executors", cell: (it) => executors(it.executors) },
      { name: "Version", cell: (it) => [...new Set(it.executors.filter((one) => one.alive === it.alive).map((one) => one.version))].join(", ") },
    ] });
  }
}

const counted = (name: string, count: number) => html`${name}<span class="count">${count.toLocaleString("en")}</span>`;

function step(run: RunRow): TemplateResult {
  const now = run.step;
  if (!now) return html`<span class="quiet">between steps</span>`;
  return html`<progress aria-hidden="true" max=${now.count} value=${now.index - 0.5}></progress>${now.rollback ? "rollback " : nothing}${now.index}
    of ${now.count} · ${now.name} <span class="quiet">${moment(now.started_at, "since")}</span>`;
}

function target(run: RunRow, state: Overview): TemplateResult {
  const name = run.waiting?.lock_name ?? run.lock_name;
  if (run.waiting?.foreign_lock) return html`${run.waiting.foreign_lock} <span class="quiet">of another tool</span>`;
  if (run.queued) return html`a free executor${name ? html` <span class="quiet">(lock ${lockLink(name)})</span>` : nothing}`;
  if (!name) return html`<span class="quiet">its start</span>`;
  const bad = state.freezes[name] ? "frozen" : state.locks[name]?.state;
  return html`${lockLink(name)}${bad && bad !== "active" ? html` ${status(bad)}` : nothing}`;
}

/** The holder, and the runs that come before. */
function behind(run: RunRow, state: Overview): TemplateResult | string {
  const holder = run.waiting?.held_by;
  const ahead = run.waiting?.ahead ?? [];
  // Not all of those before it may be known runs.
  const others = run.waiting?.ahead ? 0 : (run.waiting?.position ?? 1) - 1;
  if (!holder && ahead.length + others === 0) return "";
  return html`${holder ? html`${holder.actor} · ${state.runs[holder.request_id] ? runLink(holder.request_id, holder.intent) : holder.intent ?? holder.request_id}`
    : nothing}${ahead.map((id, i) => html`${holder || i > 0 ? ", " : nothing}${runLink(id, state.runs[id]?.intent)}`)}${others === 0 ? nothing
    : `${holder ? ", " : ""}${others} ${others === 1 ? "request" : "requests"} before it`}`;
}

function holding(lock: LockRow, state: Overview): TemplateResult {
  const id = lock.request_id ?? "";
  return state.runs[id] ? runLink(id, lock.intent)
    : html`${lock.intent === "manual" ? "by hand" : lock.intent} <span class="id mono" title=${id}>${shortId(id)}</span>`;
}

function executors(all: Overview["hosts"][string]["executors"]): string {
  const kinds = new Map<string, number>();
  for (const { kind, alive } of all) if (alive) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  return [...kinds].map(([kind, count]) => `${count} ${kind}${count === 1 ? "" : "s"}`).join(", ") || "none";
}

define("page-now", Now);

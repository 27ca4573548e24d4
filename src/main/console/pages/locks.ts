import { html, nothing, type TemplateResult } from "lit";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { filterBox, matcher } from "../parts/filter";
import { left } from "../parts/left";
import { moment } from "../parts/moment";
import { actor, lockAddress, lockLink, runLink } from "../parts/names";
import { place } from "../parts/router";
import { status } from "../parts/status";
import { Limit, table } from "../parts/table";
import { overview, type LockRow, type Overview } from "../record/overview";
import { isHeldState, isUnreadable, NAME, shownState } from "./lock-intents";

type Freeze = Overview["freezes"][string];
type Row = { name: string; lock?: LockRow; freeze?: Freeze };
type State = { name: string; label: string; has: (row: Row) => boolean };

const STATES: State[] = [
  { name: "", label: "All", has: () => true },
  { name: "held", label: "Held", has: (row) => isHeldState(row.lock?.state) },
  { name: "waited", label: "Waited for", has: (row) => (row.lock?.waiters ?? 0) > 0 },
  { name: "stale", label: "Stale", has: (row) => row.lock?.state === "stale" },
  { name: "gone", label: "Holder gone", has: (row) => row.lock?.holder === "gone" },
  { name: "frozen", label: "Frozen", has: (row) => row.freeze !== undefined },
  { name: "unreadable", label: "Unreadable", has: (row) => (row.lock !== undefined && isUnreadable(row.lock)) || row.freeze?.problem !== undefined },
];

/** What needs a person comes first. */
function rank(row: Row): number {
  const lock = row.lock;
  return lock && isUnreadable(lock) ? 0 : lock?.state === "stale" ? 1 : lock?.holder ? 2 : row.freeze ? 3 : lock?.waiters ? 4 : 5;
}

class Locks extends PageComponent {
  private of: { locks?: Overview["locks"]; freezes?: Overview["freezes"] } = {};
  private rows: Row[] = [];
  private counts: number[] = [];
  private filtered: { rows?: Row[]; state?: string; text?: string; found: Row[] } = { found: [] };
  private readonly limit = new Limit(this);

  constructor() {
    super();
    this.observe(overview.state, place);
  }

  /** The rows, sorted and counted once for each state of the overview. */
  private read(state: Overview): void {
    if (this.of.locks === state.locks && this.of.freezes === state.freezes) return;
    this.of = state;
    const rows: Row[] = [];
    for (const [name, lock] of Object.entries(state.locks)) {
      rows.push({ name, lock, freeze: state.freezes[name] });
    }
    for (const [name, freeze] of Object.entries(state.freezes)) {
      if (!state.locks[name]) rows.push({ name, freeze });
    }
    const ranks = new Map(rows.map((row) => [row, rank(row)]));
    rows.sort((a, b) => ranks.get(a)! - ranks.get(b)! || (a.name < b.name ? -1 : 1));
    this.rows = rows;
    this.counts = STATES.map((it) => rows.reduce((count, row) => count + (it.has(row) ? 1 : 0), 0));
  }

  private find(state: string, text: string): Row[] {
    const last = this.filtered;
    if (last.rows !== this.rows || last.state !== state || last.text !== text) {
      if (last.state !== state || last.text !== text) this.limit.hostConnected();
      const matches = matcher();
      const has = (STATES.find((it) => it.name === state) ?? STATES[0]!).has;
      this.filtered = { rows: this.rows, state, text, found: this.rows.filter((row) => has(row)
        && matches(row.name, row.lock?.actor, row.lock?.intent, row.lock?.request_id, row.lock?.host_id, row.freeze?.frozen_by, row.freeze?.reason)) };
    }
    return this.filtered.found;
  }

  override render(): TemplateResult {
    const now = overview.state.value;
    if (!now) return html`<div class="head"><h1>Locks</h1>${filterBox("Filter locks")}</div><p class="quiet">Reading the state</p>`;
    this.read(now);
    const state = place.value.query.get("state") ?? "";
    const text = place.value.query.get("q") ?? "";
    const found = this.find(state, text);
    return html`<div class="head"><h1>Locks</h1>${filterBox("Filter locks")}</div>
      <nav aria-label="State"><ul class="chips">${STATES.map((it, i) => html`<li><a href=${this.address(it.name, text)}
        aria-current=${it.name === state ? "true" : nothing}>${it.label} <span class="count">${this.counts[i]!.toLocaleString("en")}</span></a></li>`)}</ul></nav>
      ${now.truncated?.includes("locks") ? html`<p>These are not all locks. All of them: ${command("tower locks")}</p>` : nothing}
      ${this.rows.length === 0 ? this.empty() : found.length === 0 ? this.none(text) : this.table(found)}`;
  }

  private address(state: string, text: string): string {
    const query = new URLSearchParams();
    if (text) query.set("q", text);
    if (state) query.set("state", state);
    return `/console/locks${query.size ? `?${query}` : ""}`;
  }

  private empty(): TemplateResult {
    return html`<p class="empty">No lock is held or frozen. A run takes its intent's lock by itself; to hold one by hand:</p>
      <p>${command("tower lock NAME --ttl 15m")}</p><p>To run a command under one:</p><p>${command("tower guard NAME -- COMMAND")}</p>`;
  }

  private none(text: string): TemplateResult {
    return html`<p>None of the ${this.rows.length.toLocaleString("en")} locks matches.
      <a href="/console/locks">Show all</a></p>
      ${NAME.test(text) && !this.rows.some((row) => row.name === text)
        ? html`<p><code>${text}</code> is free: <a href=${lockAddress(text)}>see its history, or freeze it</a>.</p>` : nothing}`;
  }

  private table(found: Row[]): TemplateResult {
    return html`${table({
      caption: `Locks, those that need attention first`, isCaptionUnseen: true, rows: this.limit.of(found), key: (it) => it.name, columns: [
        { name: "Lock", cell: (it) => lockLink(it.name) },
        { name: "State", cell: state },
        { name: "Holder", cell: ({ lock }) => (lock?.actor ? html`${actor(lock.actor)}<small class="under">on ${lock.host_id}</small>` : "") },
        { name: "For", cell: ({ lock }) => (lock?.request_id && overview.state.value?.runs[lock.request_id] ? runLink(lock.request_id, lock.intent) : lock?.intent ?? "") },
        { name: "Held since", kind: "short", cell: ({ lock }) => moment(lock?.created_at, "since") },
        { name: "Time left", cell: ({ lock }) => left(lock?.expires_at, lock?.ttl_seconds) },
        { name: "Waiting", kind: "number", cell: ({ name, lock }) => (lock?.waiters ? html`<a href="${lockAddress(name)}#queue">${lock.waiters}</a>` : "") },
      ] })}${this.limit.note(found.length)}`;
  }
}

function state({ lock, freeze }: Row): TemplateResult {
  return html`${lock ? status(shownState(lock.state)) : freeze ? nothing : status("free")} ${lock?.holder ? status("gone") : nothing} ${freeze ? status("frozen") : nothing}
    ${freeze ? html`<small class="under">${freeze.problem ?? html`by ${freeze.frozen_by}, ${moment(freeze.expires_at, "left")}: ${freeze.reason}`}</small>` : nothing}
    ${lock?.problem ? html`<small class="under">${lock.problem}</small>` : nothing}`;
}

define("page-locks", Locks);

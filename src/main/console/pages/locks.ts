import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { place, replace } from "../app/router";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { left } from "../parts/left";
import { moment } from "../parts/moment";
import { status } from "../parts/status";
import { overview, type LockRow, type Overview } from "../record/overview";
import { isUnreadable, lockAddress, runAddress } from "./lock-intents";

type Freeze = Overview["freezes"][string];
type Row = { name: string; lock?: LockRow; freeze?: Freeze; words: string };
type State = { name: string; label: string; has: (row: Row) => boolean };

const PAGE = 200;
const NAME = /^[a-z0-9](?:[a-z0-9_-]{0,126}[a-z0-9])?$/;
const STATES: State[] = [
  { name: "", label: "All", has: () => true },
  { name: "held", label: "Held", has: (row) => row.lock?.state === "held" },
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
  private shown = PAGE;

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
      rows.push({ name, lock, freeze: state.freezes[name],
        words: `${name} ${lock.actor ?? ""} ${lock.intent ?? ""} ${lock.request_id ?? ""} ${lock.host_id ?? ""}`.toLowerCase() });
    }
    for (const [name, freeze] of Object.entries(state.freezes)) {
      if (!state.locks[name]) rows.push({ name, freeze, words: `${name} ${freeze.frozen_by ?? ""}`.toLowerCase() });
    }
    const ranks = new Map(rows.map((row) => [row, rank(row)]));
    rows.sort((a, b) => ranks.get(a)! - ranks.get(b)! || (a.name < b.name ? -1 : 1));
    this.rows = rows;
    this.counts = STATES.map((it) => rows.reduce((count, row) => count + (it.has(row) ? 1 : 0), 0));
  }

  private find(state: string, text: string): Row[] {
    const last = this.filtered;
    if (last.rows !== this.rows || last.state !== state || last.text !== text) {
      if (last.state !== state || last.text !== text) this.shown = PAGE;
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const has = (STATES.find((it) => it.name === state) ?? STATES[0]!).has;
      this.filtered = { rows: this.rows, state, text,
        found: this.rows.filter((row) => has(row) && words.every((word) => row.words.includes(word))) };
    }
    return this.filtered.found;
  }

  override render(): TemplateResult {
    const now = overview.state.value;
    if (!now) return html`<h1>Locks</h1><p class="quiet">Reading the locks</p>`;
    this.read(now);
    const state = place.value.query.get("state") ?? "";
    const text = place.value.query.get("q") ?? "";
    const found = this.find(state, text);
    return html`<h1>Locks</h1>
      <form class="filter" role="search" @submit=${(event: Event) => event.preventDefault()}>
        <label>Filter <input type="search" name="q" .value=${text} placeholder="name, holder, intent, request or host" autocomplete="off"
          @input=${(event: Event) => replace({ q: (event.target as HTMLInputElement).value.trim() })}></label>
        <ul class="chips" aria-label="State">${STATES.map((it, i) => html`<li><a href=${this.address(it.name, text)}
          aria-current=${it.name === state ? "true" : nothing}>${it.label} <span class="count">${this.counts[i]!.toLocaleString("en")}</span></a></li>`)}</ul>
      </form>
      ${this.rows.length === 0 ? this.empty() : found.length === 0 ? this.none(text) : this.table(found)}`;
  }

  private address(state: string, text: string): string {
    const query = new URLSearchParams();
    if (text) query.set("q", text);
    if (state) query.set("state", state);
    return `/console/locks${query.size ? `?${query}` : ""}`;
  }

  private empty(): TemplateResult {
    return html`<p>No lock is held or frozen. A run takes its intent's lock by itself; to hold one by hand:</p>
      <p>${command("tower lock NAME --ttl 15m")}</p><p>To run a command under one:</p><p>${command("tower guard NAME -- COMMAND")}</p>`;
  }

  private none(text: string): TemplateResult {
    return html`<p>None of the ${this.rows.length.toLocaleString("en")} locks matches.
      <a href="/console/locks">Show all</a></p>
      ${NAME.test(text) && !this.rows.some((row) => row.name === text)
        ? html`<p><code>${text}</code> is free: <a href=${lockAddress(text)}>see its history, or freeze it</a>.</p>` : nothing}`;
  }

  private table(found: Row[]): TemplateResult {
    const rows = found.slice(0, this.shown);
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Locks"><table class="locks">
        <caption class="hidden">Locks, those that need attention first</caption>
        <thead><tr><th scope="col">Lock</th><th scope="col">State</th><th scope="col">Holder</th><th scope="col">For</th>
          <th scope="col">Held since</th><th scope="col">Time left</th><th scope="col" class="number">Waiting</th></tr></thead>
        <tbody>${repeat(rows, (row) => row.name, (row) => this.row(row))}</tbody>
      </table></div>
      ${found.length > rows.length ? html`<p>${rows.length.toLocaleString("en")} of ${found.length.toLocaleString("en")}; narrow the filter, or
        <button type="button" @click=${() => { this.shown += PAGE; this.requestUpdate(); }}>Show ${Math.min(PAGE, found.length - rows.length)} more</button></p>`
      : html`<p class="quiet">${found.length === 1 ? "1 lock" : `${found.length.toLocaleString("en")} locks`}</p>`}`;
  }

  private row({ name, lock, freeze }: Row): TemplateResult {
    return html`<tr><th scope="row"><a href=${lockAddress(name)}>${name}</a></th>
      <td>${status(lock?.state ?? "free")}${lock?.holder ? html`, ${status("gone")}` : nothing}${freeze ? html`, ${status("frozen")}
        <small class="under">${freeze.problem ?? html`by ${freeze.frozen_by}, ${moment(freeze.expires_at, "left")}: ${freeze.reason}`}</small>` : nothing}
        ${lock?.problem ? html`<small class="under">${lock.problem}</small>` : nothing}</td>
      <td>${lock?.actor ?? ""}${lock?.host_id ? html`<small class="under">on ${lock.host_id}</small>` : nothing}</td>
      <td>${lock?.intent ?? ""}${lock?.request_id ? html`<small class="under">${overview.state.value?.runs[lock.request_id]
        ? html`<a href=${runAddress(lock.request_id)}>${lock.request_id}</a>` : lock.request_id}</small>` : nothing}</td>
      <td>${moment(lock?.created_at, "since")}</td>
      <td>${left(lock?.expires_at, lock?.ttl_seconds)}</td>
      <td class="number">${lock?.waiters ? html`<a href="${lockAddress(name)}#queue">${lock.waiters}</a>` : ""}</td></tr>`;
  }
}

define("page-locks", Locks);

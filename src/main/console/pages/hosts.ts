// The hosts: their executors, and the runs and locks that they have.
import { html, nothing, type TemplateResult } from "lit";
import { define, PageComponent } from "../parts/component";
import { filterBox, matcher } from "../parts/filter";
import { moment } from "../parts/moment";
import { lockLink, runLink } from "../parts/names";
import { place } from "../parts/router";
import { status } from "../parts/status";
import { Limit, table } from "../parts/table";
import { overview, type Overview } from "../record/overview";

type Host = Overview["hosts"][string];
/** The maximum number of runs and locks that are listed for a host. */
const MOST = 20;

class Hosts extends PageComponent {
  private readonly limit = new Limit(this);

  constructor() {
    super();
    this.observe(overview.state, place);
  }

  override render(): TemplateResult {
    const state = overview.state.value;
    if (!state) return html`<h1>Hosts</h1><p class="quiet">Reading the state</p>`;
    const matches = matcher();
    const all = Object.values(state.hosts);
    // Those that are gone come first.
    const rows = all.filter((it) => matches(it.host_id, ...it.executors.map((one) => one.version)))
      .sort((a, b) => Number(a.alive) - Number(b.alive) || a.host_id.localeCompare(b.host_id));
    const alive = all.filter((it) => it.alive).length;
    return html`<div class="head"><h1>Hosts</h1>${filterBox()}</div>
      <p>${alive === all.length ? `${alive === 1 ? "The one host is" : `All ${alive} hosts are`} alive.` : html`<strong>${all.length - alive} of ${all.length} hosts
        ${all.length - alive === 1 ? "is" : "are"} gone.</strong>`} This page comes from host ${state.host_id}, version ${state.version}.</p>
      ${rows.length === 0 && all.length > 0 ? html`<p class="empty">No host matches.</p>` : nothing}
      ${this.limit.of(rows).map((it) => this.host(it, state))}${this.limit.note(rows.length)}`;
  }

  private host(host: Host, state: Overview): TemplateResult {
    const runs = Object.values(state.runs).filter((it) => it.host_id === host.host_id);
    const locks = Object.values(state.locks).filter((it) => it.host_id === host.host_id);
    const executors = [...host.executors].sort((a, b) => Number(b.alive) - Number(a.alive) || a.entered_at.localeCompare(b.entered_at));
    return html`<section aria-label="Host ${host.host_id}"><h2>${host.host_id} ${status(host.alive ? "alive" : "gone")}</h2>
      ${table({ caption: `Executors of ${host.host_id}`, isCaptionUnseen: true, rows: executors, key: (it) => it.id, columns: [
        { name: "Executor", cell: (it) => `${it.kind} ${it.pid}` },
        { name: "State", cell: (it) => status(it.alive ? "alive" : "gone") },
        { name: "Version", cell: (it) => html`${it.version}${it.version === state.version ? nothing : html` <span class="quiet">not that of this page</span>`}` },
        { name: "Since", kind: "short", cell: (it) => moment(it.entered_at) },
      ] })}
      ${host.labels ? html`<p>Labels: ${host.labels.join(", ")}</p>` : nothing}
      ${(host.warnings ?? []).map((it) => html`<p class="problem">${it}</p>`)}
      ${host.alive || runs.length + locks.length === 0 ? nothing : html`<p class="problem">Its runs do not continue; its locks become stale when their ttl expires.</p>`}
      ${runs.length + locks.length === 0 ? html`<p class="quiet">No runs and no locks.</p>` : html`<dl>
        ${runs.length > 0 ? html`<dt>Runs</dt><dd>${some(runs, (it) => runLink(it.request_id, it.intent), "/console/runs")}</dd>` : nothing}
        ${locks.length > 0 ? html`<dt>Locks</dt><dd>${some(locks, (it) => html`${lockLink(it.lock_name)}${it.state === "active"
          ? nothing : html` ${status(it.state)}`}`, "/console/locks")}</dd>` : nothing}
      </dl>`}</section>`;
  }
}

function some<T>(rows: T[], link: (row: T) => TemplateResult, all: string): TemplateResult {
  return html`<ul class="parts">${rows.slice(0, MOST).map((it) => html`<li>${link(it)}</li>`)}
    ${rows.length > MOST ? html`<li><a href=${all}>${rows.length - MOST} more</a></li>` : nothing}</ul>`;
}

define("page-hosts", Hosts);

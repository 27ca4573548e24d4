import { html, nothing, type TemplateResult } from "lit";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { filterBox, matcher } from "../parts/filter";
import { intentLink, lockLink } from "../parts/names";
import { problem } from "../parts/problem";
import { place } from "../parts/router";
import { Limit, table } from "../parts/table";
import { call, type Schemas } from "../record/api";
import { overview } from "../record/overview";
import { Reading } from "../record/reading";

const EXAMPLE = `apiVersion: tower-fleet/intent/v1
kind: Intent
metadata: { name: restart-web, version: 1.0.0, description: Restart the web server }
spec:
  mode: mutate
  controls: { lock: web }
  steps:
    - name: restart
      run: [systemctl, restart, nginx]`;

class Intents extends PageComponent {
  private readonly intents = new Reading(this, (signal) => call("GET /intents", { signal }));
  private announced: unknown;
  private readonly limit = new Limit(this);

  constructor() {
    super();
    this.observe(place, overview.state);
    this.intents.restart();
  }

  override willUpdate(): void {
    const rows = overview.state.value?.intents;
    if (rows !== this.announced) {
      if (this.announced) this.intents.again();
      this.announced = rows;
    }
  }

  override render(): TemplateResult {
    const matches = matcher();
    const all = this.intents.value?.intents ?? [];
    const found = all.filter((it) => matches(it.name, it.description, it.mode, it.lock, it.schedule));
    return html`<div class="head"><h1>Intents</h1>${this.intents.value && all.length === 0 ? nothing : filterBox("Filter intents")}</div>
      ${problem(this.intents.problem)}
      ${this.intents.value === undefined ? (this.intents.problem ? nothing : html`<p class="quiet">Reading the intents</p>`) : html`
        ${this.complaints(this.intents.value.complaints)}
        ${all.length === 0 ? this.empty() : found.length === 0
          ? html`<p class="empty">None of the ${all.length} intents matches. <a href="/console/intents">Show all</a></p>` : this.table(found)}`}`;
  }

  private table(found: Schemas["Intent"][]): TemplateResult {
    return html`${table({ caption: "Intents", isCaptionUnseen: true, rows: this.limit.of(found), key: (it) => it.name, columns: [
      { name: "Intent", cell: (it) => html`${intentLink(it.name)}${it.allowed ? nothing : html`<small class="under">Your token may not run it.</small>`}` },
      { name: "What it does", cell: (it) => html`${it.description}${it.warnings.map((warning) => html`<small class="under bad">Warning: ${warning}</small>`)}` },
      { name: "Mode", kind: "short", cell: (it) => it.mode },
      { name: "Lock", cell: (it) => (it.lock === null ? html`<span class="quiet">none</span>` : it.lock.includes("${") ? html`<code>${it.lock}</code>` : lockLink(it.lock)) },
      { name: "Schedule (UTC)", kind: "short", cell: (it) => (it.schedule ? html`<code>${it.schedule}</code>` : "") },
      { name: "Version", kind: "short", cell: (it) => it.version },
    ] })}${this.limit.note(found.length)}`;
  }

  private complaints(all: Schemas["Intents"]["complaints"]): TemplateResult | typeof nothing {
    if (all.length === 0) return nothing;
    const errors = all.filter((it) => it.severity === "error").length;
    return html`<details class="notice" ?open=${errors > 0}><summary>${errors ? `${errors} ${errors === 1 ? "error" : "errors"} in the files of intents` : `${all.length} warnings in the files of intents`}</summary>
      <ul>${all.map((it) => html`<li><span class=${it.severity === "error" ? "status bad" : "status"}>${it.severity}</span>
        <code>${it.file}:${it.line}:${it.column}</code> ${it.message}</li>`)}</ul><p>Check the files: ${command("tower validate")}</p></details>`;
  }

  private empty(): TemplateResult {
    return html`<div class="empty"><p>No intents yet: write <code>intents/NAME.yaml</code> in the home of the service. An intent declares what a run does, its
      parameters, and the lock that it needs. For example:</p>
      <pre>${EXAMPLE}</pre>
      <p>Check the file: ${command("tower validate")} It appears here as soon as the service has read it.</p></div>`;
  }
}

define("page-intents", Intents);

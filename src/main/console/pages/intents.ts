import { html, nothing, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { place, replace } from "../app/router";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { problem } from "../parts/problem";
import { call, type Schemas } from "../record/api";
import { overview } from "../record/overview";
import { Reading } from "../record/reading";
import { intentAddress } from "./lock-intents";

const PAGE = 200;
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
  private shown = PAGE;

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
    const text = place.value.query.get("q") ?? "";
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const all = this.intents.value?.intents ?? [];
    const found = all.filter((it) => words.every((word) => `${it.name} ${it.description} ${it.mode} ${it.lock ?? ""}`.toLowerCase().includes(word)));
    return html`<h1>Intents</h1>
      ${problem(this.intents.problem)}
      ${this.intents.value === undefined ? (this.intents.problem ? nothing : html`<p class="quiet">Reading the intents</p>`) : html`
        ${this.complaints(this.intents.value.complaints)}
        ${all.length === 0 ? this.empty() : html`
          <form class="filter" role="search" @submit=${(event: Event) => event.preventDefault()}>
            <label>Filter <input type="search" name="q" .value=${text} placeholder="name, description, mode or lock" autocomplete="off"
              @input=${(event: Event) => replace({ q: (event.target as HTMLInputElement).value.trim() })}></label></form>
          ${found.length === 0 ? html`<p>None of the ${all.length} intents matches. <a href="/console/intents">Show all</a></p>` : this.table(found)}`}`}`;
  }

  private table(found: Schemas["Intent"][]): TemplateResult {
    return html`<div class="scroll" tabindex="0" role="region" aria-label="Intents"><table>
      <caption class="hidden">Intents</caption>
      <thead><tr><th scope="col">Intent</th><th scope="col">Mode</th><th scope="col">Lock</th><th scope="col">Schedule (UTC)</th><th scope="col">Version</th></tr></thead>
      <tbody>${repeat(found.slice(0, this.shown), (it) => it.name, (it) => html`<tr>
        <th scope="row"><a href=${intentAddress(it.name)}>${it.name}</a><small class="under">${it.description}</small>
          ${it.allowed ? nothing : html`<small class="under">Your token may not run it.</small>`}
          ${it.warnings.map((warning) => html`<small class="under problem">Warning: ${warning}</small>`)}</th>
        <td>${it.mode}</td>
        <td>${it.lock === null ? html`<span class="quiet">none</span>` : it.lock.includes("${") ? html`<code>${it.lock}</code>`
          : html`<a href=${`/console/locks/${encodeURIComponent(it.lock)}`}><code>${it.lock}</code></a>`}</td>
        <td>${it.schedule ? html`<code>${it.schedule}</code>` : nothing}</td><td>${it.version}</td></tr>`)}</tbody></table></div>
      ${found.length > this.shown ? html`<p>${this.shown} of ${found.length}; narrow the filter, or
        <button type="button" @click=${() => { this.shown += PAGE; this.requestUpdate(); }}>Show more</button></p>` : nothing}`;
  }

  private complaints(all: Schemas["Intents"]["complaints"]): TemplateResult | typeof nothing {
    if (all.length === 0) return nothing;
    const errors = all.filter((it) => it.severity === "error").length;
    return html`<details class="notice" ?open=${errors > 0}><summary>${errors ? `${errors} ${errors === 1 ? "error" : "errors"} in the files of intents` : `${all.length} warnings in the files of intents`}</summary>
      <ul>${all.map((it) => html`<li><span class=${it.severity === "error" ? "status bad" : "status"}>${it.severity}</span>
        <code>${it.file}:${it.line}:${it.column}</code> ${it.message}</li>`)}</ul><p>Check the files: ${command("tower validate")}</p></details>`;
  }

  private empty(): TemplateResult {
    return html`<p>No intents yet: write <code>intents/NAME.yaml</code> in the home of the service. An intent declares what a run does, its
      parameters, and the lock that it needs. For example:</p>
      <pre>${EXAMPLE}</pre>
      <p>Check the file: ${command("tower validate")} It appears here as soon as the service has read it.</p>`;
  }
}

define("page-intents", Intents);

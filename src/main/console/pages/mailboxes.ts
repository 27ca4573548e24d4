// The numbers of messages of the mailboxes; of one mailbox its dead letters, which may be revived.
import { html, nothing, type TemplateResult } from "lit";
import { action } from "../parts/action";
import { announce } from "../parts/announce";
import { define, PageComponent } from "../parts/component";
import { ask } from "../parts/dialog";
import { filterBox, matcher } from "../parts/filter";
import { moment } from "../parts/moment";
import { mailboxAddress } from "../parts/names";
import { problem } from "../parts/problem";
import { place } from "../parts/router";
import { Limit, table } from "../parts/table";
import { call, type Schemas } from "../record/api";
import { overview, type Overview } from "../record/overview";
import { Reading } from "../record/reading";
import { session } from "../record/session";

type Counts = Overview["mailboxes"][string];
type Letter = Schemas["DeadLetter"];
const NONE: Omit<Counts, "name"> = { ready: 0, leased: 0, delayed: 0, dead: 0 };
const CAUSES: Record<Letter["cause"], string> = {
  too_many_deliveries: "too many failed deliveries", unreadable: "it cannot be read", rejected: "a worker rejected it",
};
const LETTERS = 1_000;
const SHORT = 80;

class Mailboxes extends PageComponent {
  private readonly limit = new Limit(this);
  private readonly letters = new Reading(this, async (signal) =>
    (await call("GET /mailboxes/{mailbox}/dead", { path: { mailbox: this.name }, query: { limit: LETTERS }, signal })).data);
  private row: Counts | undefined;

  constructor() {
    super();
    this.observe(overview.state, place, session.caller);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.name) this.letters.restart();
  }

  /** A changed row of the mailbox is the signal to read its dead letters again. */
  protected override willUpdate(): void {
    const row = overview.state.value?.mailboxes[this.name];
    if (this.name && row?.dead !== this.row?.dead) this.letters.again();
    this.row = row;
  }

  override render(): TemplateResult {
    const state = overview.state.value;
    const title = this.name ? `Mailbox ${this.name}` : "Mailboxes";
    if (!state) return html`<h1>${title}</h1><p class="quiet">Reading the state</p>`;
    return this.name ? this.one(state.mailboxes[this.name]) : this.all(Object.values(state.mailboxes));
  }

  private all(mailboxes: Counts[]): TemplateResult {
    const matches = matcher();
    const rows = mailboxes.filter((it) => matches(it.name)).sort((a, b) => a.name.localeCompare(b.name));
    return html`<div class="head"><h1>Mailboxes</h1>${filterBox()}</div>
      ${rows.length > 0 ? html`${table({ caption: html`Messages<span class="count">${rows.length} ${rows.length === 1 ? "mailbox" : "mailboxes"}</span>`,
        rows: this.limit.of(rows), key: (it) => it.name, columns: [
          { name: "Mailbox", cell: (it) => html`<a href=${mailboxAddress(it.name)}>${it.name}</a>` },
          { name: "Ready", kind: "number", cell: (it) => it.ready },
          { name: "Leased", kind: "number", cell: (it) => it.leased },
          { name: "Delayed", kind: "number", cell: (it) => it.delayed },
          { name: "Dead letters", kind: "number", cell: (it) => it.dead > 0 ? html`<span class="status bad">${it.dead} dead</span>` : it.dead },
        ] })}${this.limit.note(rows.length)}`
        : mailboxes.length > 0 ? html`<p class="empty">No mailbox matches.</p>`
        : html`<p class="empty">No mailbox yet. One exists as soon as a message is in it: <code>tower mailbox send jobs 'hello'</code>. A worker takes
          it: <code>tower mailbox receive jobs --wait 20s</code></p>`}`;
  }

  private one(row: Counts | undefined): TemplateResult {
    const { ready, leased, delayed, dead } = row ?? NONE;
    const found = this.letters.value?.dead_letters ?? [];
    return html`<h1>Mailbox ${this.name}</h1>
      <p>${row ? html`${ready} ready, ${leased} leased, ${delayed} delayed, ${dead} dead.` : "It has no messages."}
        <a href="/console/mailboxes">All mailboxes</a></p>
      ${problem(this.letters.problem)}
      ${found.length === 0 ? html`<p class="empty">No dead letters. A message becomes one after too many failed deliveries, or if a worker rejects it.</p>`
        : html`<div class="head"><h2 id="dead">Dead letters<span class="count">${found.length}${this.letters.value?.truncated ? " and more" : ""}</span></h2>
          ${action("Revive all", "agent", () => this.revive([]))}</div>
        ${table({ caption: "Dead letters", isCaptionUnseen: true, rows: this.limit.of(found), key: (it) => it.id, columns: [
          { name: "Message", cell: (it) => html`<span class="mono">${it.id}</span>` },
          { name: "Cause", cell: (it) => html`${CAUSES[it.cause]}${it.last_error ? html`: ${it.last_error}` : nothing}` },
          { name: "Deliveries", kind: "number", cell: (it) => it.delivery_count },
          { name: "Given up", kind: "short", cell: (it) => moment(it.dead_lettered_at) },
          { name: "Body", cell: (it) => body(it.body) },
          { name: "Action", kind: "short", cell: (it) => action(`Revive ${it.id}`, "agent", () => this.revive([it.id])) },
        ] })}${this.limit.note(found.length)}`}`;
  }

  private async revive(ids: string[]): Promise<void> {
    const what = ids.length === 0 ? "all dead letters" : ids.join(", ");
    let revived = 0;
    const isDone = await ask({ title: `Revive ${what}?`, text: `They go back to mailbox ${this.name} and are delivered again, with all deliveries left.`,
      action: `Revive ${what}`, perform: async () => {
        revived = (await call("POST /mailboxes/{mailbox}/dead/revive", { path: { mailbox: this.name }, body: ids.length === 0 ? {} : { ids } })).data?.revived ?? 0;
      } });
    if (isDone) {
      announce(`${revived} ${revived === 1 ? "message" : "messages"} revived.`);
      this.letters.again();
    }
  }
}

function body(value: unknown): TemplateResult {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= SHORT ? html`<code>${text}</code>`
    : html`<details><summary><code>${text.slice(0, SHORT)}…</code></summary><pre>${typeof value === "string" ? value : JSON.stringify(value, null, 2)}</pre></details>`;
}

define("page-mailboxes", Mailboxes);

// Tables: a caption, headers, keyed rows; cards on narrow screens; at most some hundred rows at once.
import { html, nothing, type ReactiveController, type ReactiveControllerHost, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";

export type Column<T> = {
  name: string;
  cell: (row: T) => unknown;
  /** number: right-aligned; short: never wrapped. */
  kind?: "number" | "short";
};

export type Table<T> = {
  caption: unknown;
  /** For a table under a heading that says the same. */
  isCaptionUnseen?: boolean;
  /** The first column names the row. */
  columns: Array<Column<T>>;
  rows: T[];
  key: (row: T) => string;
};

export function table<T>(it: Table<T>): TemplateResult {
  const [first, ...others] = it.columns;
  return html`<table class="cards">
    <caption class=${it.isCaptionUnseen ? "unseen" : ""}>${it.caption}</caption>
    <thead><tr>${it.columns.map((column) => html`<th scope="col" class=${column.kind ?? ""}>${column.name}</th>`)}</tr></thead>
    <tbody>${repeat(it.rows, it.key, (row) => html`<tr><th scope="row" class=${first?.kind ?? ""}>${first?.cell(row)}</th>${
      others.map((column) => html`<td class=${column.kind ?? ""} data-label=${column.name}>${column.cell(row)}</td>`)}</tr>`)}</tbody>
  </table>`;
}

const STEP = 200;

/** How many rows of a long list a component shows. */
export class Limit implements ReactiveController {
  private shown: number;

  constructor(private readonly host: ReactiveControllerHost, private readonly step = STEP) {
    this.shown = step;
    host.addController(this);
  }

  hostConnected(): void {
    this.shown = this.step;
  }

  of<T>(rows: T[]): T[] {
    return rows.length > this.shown ? rows.slice(0, this.shown) : rows;
  }

  /** "200 of 10,000; narrow the filter", and a button for more; nothing if all rows are shown. */
  note(total: number): TemplateResult | typeof nothing {
    return total <= this.shown ? nothing : html`<p class="more">
      ${this.shown} of ${total.toLocaleString("en")}; narrow the filter
      <button type="button" @click=${() => { this.shown += this.step; this.host.requestUpdate(); }}>Show ${this.step} more</button></p>`;
  }
}

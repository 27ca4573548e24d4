// The history of a lock as a table.
import { html, nothing, type TemplateResult } from "lit";
import { moment } from "../parts/moment";
import { stamp } from "../parts/stamp";
import { table } from "../parts/table";
import { duration } from "../record/time";
import { usual, type Freezing, type Holding } from "./lock-history";
import { forWhom, who } from "./lock-text";

const lasting = (seconds: number) => (seconds > 0 ? duration(seconds) : "under 1s");
const short = (hash: string) => hash.slice(0, "sha256:".length + 12);

/** How long a lock is usually held. */
export function usually(holdings: Holding[]): TemplateResult | typeof nothing {
  const found = usual(holdings);
  return found ? html`<p>Usually held for <strong>${lasting(found.median)}</strong> (median); 95 % of the holdings lasted at most
    <strong>${lasting(found.p95)}</strong>. Over ${found.count === 1 ? "the one holding" : `the ${found.count} holdings`} below that ended.</p>` : nothing;
}

/** @param request shows a request, as a link if a run has it */
export function holdingsTable(name: string, holdings: Holding[], request: (id: string, isRun: boolean) => TemplateResult,
  isStale: boolean): TemplateResult {
  return table({ caption: `Holdings of ${name}, newest first`, isCaptionUnseen: true, rows: holdings, key: (it) => `${it.request_id} ${it.from}`, columns: [
    { name: "Held by", cell: who },
    { name: "For", cell: (it) => html`${it.intent ?? ""} ${it.request_id ? html`<small class="under">${request(it.request_id, it.isRun === true)}</small>` : nothing}
      ${it.reason ? html`<small class="under">Reason: ${it.reason}</small>` : nothing}` },
    { name: "From", kind: "short", cell: (it) => html`${stamp(it.from)}${it.stole ? html`<small class="under">took it over</small>` : nothing}` },
    { name: "How long", kind: "short", cell: (it) => (it.end === "holds" ? moment(it.from, "since") : it.seconds === undefined ? "" : lasting(it.seconds)) },
    { name: "Ended", cell: (it) => html`${ending(it, isStale)}${it.notes.map((note) => html`<small class="under bad">${note}</small>`)}` },
  ] });
}

export function freezing(it: Freezing): TemplateResult {
  return html`<li>${stamp(it.at)}: frozen by ${it.by?.actor ?? "an unknown caller"}${it.by?.door ? ` through ${it.by.door}` : ""} until ${stamp(it.until)}: ${it.reason}${
    it.lifted ? html`; lifted ${stamp(it.lifted.at)} by ${it.lifted.by?.actor ?? "an unknown caller"}` : nothing}</li>`;
}

function ending(it: Holding, isStale: boolean): TemplateResult {
  switch (it.end) {
    case "holds": return isStale ? html`not released; <span class="status bad">stale</span>` : html`holds it now`;
    case "released": return html`released${it.result && it.result !== "success" ? html`; <span class="status bad">${it.result}</span>` : nothing}${
      it.failure_step ? html` in step ${it.failure_step}` : nothing}`;
    case "lost": return html`<span class="status bad">lost</span>`;
    case "unknown": return html`<span class="quiet">the log does not say</span>`;
    case "taken":
    case "forced": return html`<span class="status bad">${it.end === "taken" ? "taken over" : "force-released"}</span> by ${it.removal?.by?.actor ?? "an unknown caller"}${
      forWhom(it.removal?.by?.on_behalf_of)}${it.removal?.by?.door ? ` through ${it.removal.by.door}` : ""}${it.removal?.reason ? html`: ${it.removal.reason}` : nothing}
      ${it.removal?.hash ? html`<small class="under">previous lock <code title=${it.removal.hash}>${short(it.removal.hash)}…</code></small>` : nothing}`;
  }
}

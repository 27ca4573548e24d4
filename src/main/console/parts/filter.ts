// The filter of a list: words in the address (?q=), all of which must occur in a row.
import { html, type TemplateResult } from "lit";
import { place, replace } from "./router";

/** The filter box; "/" goes to it. */
export function filterBox(label = "Filter"): TemplateResult {
  return html`<label class="filter"><span class="unseen">${label}</span>
    <input type="search" placeholder=${label} .value=${place.value.query.get("q") ?? ""} autocomplete="off" spellcheck="false"
      aria-keyshortcuts="/" @input=${(event: Event) => replace({ q: (event.target as HTMLInputElement).value }, place.value.hash)}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key !== "Escape") return;
        replace({ q: undefined }, place.value.hash);
        (event.target as HTMLInputElement).blur();
      }}></label>`;
}

/** A test of rows by the words of the filter. */
export function matcher(): (...texts: Array<string | number | null | undefined>) => boolean {
  const words = (place.value.query.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0 ? () => true : (...texts) => {
    const text = texts.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
}

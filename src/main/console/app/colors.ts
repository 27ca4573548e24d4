// Light or dark: as the system says, unless chosen here.
import { html, type TemplateResult } from "lit";

const THEME = "tower.theme";
const CHOICES = ["auto", "light", "dark"];

function chosen(): string {
  const kept = localStorage.getItem(THEME) ?? "";
  return CHOICES.includes(kept) ? kept : "auto";
}

export function useColors(): void {
  document.documentElement.dataset.theme = chosen();
}

export function colorChoice(): TemplateResult {
  const current = chosen();
  return html`<select aria-label="Theme" @change=${(event: Event) => {
    localStorage.setItem(THEME, (event.target as HTMLSelectElement).value);
    useColors();
  }}>${CHOICES.map((it) => html`<option value=${it} ?selected=${it === current}>${it}</option>`)}</select>`;
}

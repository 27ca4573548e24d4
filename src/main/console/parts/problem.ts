// Refusals and failures as people read them.
import { html, nothing, type TemplateResult } from "lit";
import { Problem } from "../record/api";

export function problem(error: unknown): TemplateResult | typeof nothing {
  if (!error) return nothing;
  const text = error instanceof Error ? error.message : String(error);
  return html`<p class="problem" role="alert">${text}
    ${error instanceof Problem && error.suggestion ? html`<span>${error.suggestion}</span>` : nothing}</p>`;
}

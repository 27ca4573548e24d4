// A moment as local date and time, with UTC as its title; it does not tick.
import { html, type TemplateResult } from "lit";
import { both, clock } from "../record/time";

export function stamp(time: string | null | undefined): TemplateResult | string {
  if (!time) return "";
  const date = new Date(time);
  const day = date.toDateString() === new Date().toDateString() ? "" : `${date.toLocaleDateString([], { day: "numeric", month: "short" })} `;
  return html`<time datetime=${time} title=${both(time)}>${day}${clock(time)}</time>`;
}

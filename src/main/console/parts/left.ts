// The time that a lease has left: a bar and words.
import { html, type TemplateResult } from "lit";
import { both, now, span } from "../record/time";
import { Component, define } from "./component";

class Left extends Component {
  static override properties = { until: {}, seconds: { type: Number } };
  declare until: string;
  /** The whole time to live. */
  declare seconds: number;

  constructor() {
    super();
    this.seconds = 0;
    this.observe(now);
  }

  override render(): TemplateResult {
    const left = Date.parse(this.until) - now.value;
    const text = left > 0 ? `${span(left)} left` : `over since ${span(-left)}`;
    const whole = Math.max(this.seconds, 1);
    return html`<meter min="0" max=${whole} low=${whole / 4} optimum=${whole} .value=${Math.max(0, Math.min(whole, left / 1000))}
      aria-label="Time left">${text}</meter> <time datetime=${this.until} title=${both(this.until)}>${text}</time>`;
  }
}

define("tower-left", Left);

export const left = (until: string | undefined, seconds: number | undefined) =>
  until ? html`<tower-left .until=${until} .seconds=${seconds ?? 0}></tower-left>` : "";

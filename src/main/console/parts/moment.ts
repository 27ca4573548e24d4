// Times: "3m 05s ago" with the local time and UTC as a title; and countdowns.
import { html, type TemplateResult } from "lit";
import { both, clock, now, span } from "../record/time";
import { Component, define } from "./component";

class Moment extends Component {
  static override properties = { at: {}, form: {} };
  declare at: string;
  /** since: "3m 05s"; ago: "3m 05s ago"; left: "12s left" or "over since 3s"; clock: "12:03:07". */
  declare form: "since" | "ago" | "left" | "clock";

  constructor() {
    super();
    this.form = "ago";
    this.observe(now);
  }

  override render(): TemplateResult {
    return html`<time datetime=${this.at} title=${both(this.at)}>${this.text()}</time>`;
  }

  private text(): string {
    const age = now.value - Date.parse(this.at);
    switch (this.form) {
      case "since": return span(age);
      case "ago": return `${span(age)} ago`;
      case "left": return age > 0 ? `over since ${span(age)}` : `${span(-age)} left`;
      case "clock": return clock(this.at);
    }
  }
}

define("tower-moment", Moment);

export const moment = (at: string | null | undefined, form: "since" | "ago" | "left" | "clock" = "ago") =>
  at ? html`<tower-moment .at=${at} .form=${form}></tower-moment>` : "";

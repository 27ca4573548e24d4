// Times: "3m 05s ago" with the local time and UTC as a title; and countdowns.
import { html } from "lit";
import { both, clock, now, span } from "../record/time";
import { define } from "./component";
import { Ticking } from "./ticking";

export type Form = "since" | "ago" | "left" | "clock";

/** A time that keeps itself current. */
class Moment extends Ticking {
  private readonly time = document.createElement("time");
  private readonly text = new Text();
  private time_ = "";
  private form_: Form = "ago";

  set at(at: string) {
    if (at === this.time_) return;
    this.time_ = at;
    this.time.dateTime = at;
    this.time.title = both(at);
    this.show();
  }

  /** since: "3m 05s"; ago: "3m 05s ago"; left: "12s left" or "over since 3s"; clock: "12:03:07". */
  set form(form: Form) {
    this.form_ = form;
    this.show();
  }

  override connectedCallback(): void {
    if (!this.time.parentNode) {
      this.time.append(this.text);
      this.append(this.time);
    }
    super.connectedCallback();
  }

  protected show(): void {
    if (!this.time_) return;
    const text = inWords(this.time_, this.form_);
    if (this.text.data !== text) this.text.data = text;
  }
}

define("tower-moment", Moment);

/** A time in words, as of now. */
export function inWords(at: string, form: Form): string {
  const age = now.value - Date.parse(at);
  switch (form) {
    case "since": return span(age);
    case "ago": return `${span(age)} ago`;
    case "left": return age > 0 ? `over since ${span(age)}` : `${span(-age)} left`;
    case "clock": return clock(at);
  }
}

export const moment = (at: string | null | undefined, form: Form = "ago") =>
  at ? html`<tower-moment .at=${at} .form=${form}></tower-moment>` : "";

// The time that a lease has left: a meter, and the same in words.
import { html } from "lit";
import { both, now } from "../record/time";
import { define } from "./component";
import { inWords } from "./moment";
import { Ticking } from "./ticking";

class Left extends Ticking {
  private readonly meter = document.createElement("meter");
  private readonly words = document.createElement("span");
  private readonly text = new Text();
  private expires = "";

  set until(expires: string) {
    this.expires = expires;
    this.words.title = both(expires);
    this.show();
  }

  set seconds(ttl: number) {
    this.meter.max = ttl;
    this.meter.low = ttl * 0.2;
    this.meter.high = ttl * 0.5;
    this.meter.optimum = ttl;
    this.show();
  }

  override connectedCallback(): void {
    if (!this.meter.parentNode) {
      this.meter.setAttribute("aria-hidden", "true");
      this.words.append(this.text);
      this.append(this.meter, this.words);
    }
    super.connectedCallback();
  }

  protected show(): void {
    if (!this.expires) return;
    const text = inWords(this.expires, "left");
    if (text === this.text.data) return;
    this.text.data = text;
    this.meter.value = Math.max(0, (Date.parse(this.expires) - now.value) / 1000);
  }
}

define("tower-left", Left);

/** What a lease has left of its time to live. */
export const left = (expiresAt: string | undefined, ttlSeconds: number | undefined) =>
  expiresAt ? html`<tower-left .seconds=${ttlSeconds ?? 0} .until=${expiresAt}></tower-left>` : "";

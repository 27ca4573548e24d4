// The base of small elements that show a time, and keep it current while they are shown.
import { now } from "../record/time";

export abstract class Ticking extends HTMLElement {
  private end: (() => void) | null = null;

  connectedCallback(): void {
    this.end ??= now.observe(() => this.show());
    this.show();
  }

  disconnectedCallback(): void {
    this.end?.();
    this.end = null;
  }

  /** Changes the page only if its text changes, so that hundreds of them cost nothing. */
  protected abstract show(): void;
}

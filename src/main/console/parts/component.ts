// The base of all components: they render into the page itself, so that one style sheet, links and tools see everything.
import { LitElement } from "lit";
import { Observing, Signal } from "../record/signal";

export abstract class Component extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  /** Renders again whenever one of the signals changes. */
  protected observe(...signals: Array<Signal<any>>): void {
    new Observing(this, signals, () => this.requestUpdate());
  }

  /** Calls an observer whenever the signal changes, while the component is shown. */
  protected watch(signal: Signal<any>, observer: () => void): void {
    new Observing(this, [signal], observer);
  }
}

/** A page; `name` is the part of its address that names a run, lock or intent. */
export abstract class PageComponent extends Component {
  static override properties = { name: { type: String } };
  declare name: string;

  constructor() {
    super();
    this.name = "";
  }
}

export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element);
}

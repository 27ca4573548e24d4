// A value that components observe.
import type { ReactiveController, ReactiveControllerHost } from "lit";

export class Signal<T> {
  private readonly observers = new Set<() => void>();
  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const observer of [...this.observers]) observer();
  }

  observe(observer: () => void): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }
}

/** Calls an observer whenever one of the signals changes, while the component is shown. */
export class Observing implements ReactiveController {
  private ends: Array<() => void> = [];
  constructor(host: ReactiveControllerHost, private readonly signals: Array<Signal<any>>, private readonly observer: () => void) {
    host.addController(this);
  }

  hostConnected(): void {
    this.ends = this.signals.map((signal) => signal.observe(this.observer));
  }

  hostDisconnected(): void {
    for (const end of this.ends) end();
  }
}

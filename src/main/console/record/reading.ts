// A part of the record that a component reads, and reads again when a change is announced or the connection returns.
import type { ReactiveController, ReactiveControllerHost } from "lit";
import { Problem } from "./api";
import { overview } from "./overview";

const INTERVAL_MS = 1_000;
const RETRY_MS = 5_000;

export class Reading<T> implements ReactiveController {
  value: T | undefined;
  problem: unknown = null;
  private isWanted = false;
  private begun = 0;
  private timer: number | undefined;
  private reading: AbortController | null = null;
  private isBroken = false;
  private stop: (() => void) | undefined;

  /** @param intervalMs the shortest time between two reads */
  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly read: (signal: AbortSignal) => Promise<T>,
    private readonly intervalMs = INTERVAL_MS,
  ) {
    host.addController(this);
  }

  hostConnected(): void {
    this.stop = overview.connection.observe(() => {
      const state = overview.connection.value.state;
      if (state === "live" && this.isBroken && this.isWanted) this.again();
      this.isBroken = state === "reconnecting";
    });
    if (this.isWanted) this.again();
  }

  hostDisconnected(): void {
    this.stop?.();
    this.cease();
  }

  /** Forgets what was read and reads at once. */
  restart(): void {
    this.cease();
    this.value = undefined;
    this.problem = null;
    this.isWanted = true;
    this.begin();
  }

  /** Forgets what was read, and reads no more. */
  clear(): void {
    this.cease();
    this.value = undefined;
    this.problem = null;
    this.isWanted = false;
  }

  /** Reads again, soon; several requests become one read. */
  again(delayMs = 0): void {
    this.isWanted = true;
    const wait = Math.max(delayMs, this.begun + this.intervalMs - Date.now());
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(), Math.max(0, wait));
  }

  private cease(): void {
    clearTimeout(this.timer);
    this.reading?.abort();
    this.reading = null;
  }

  /** A read that began before the announcement may miss the change, so it is given up. */
  private begin(): void {
    this.cease();
    this.begun = Date.now();
    const reading = new AbortController();
    this.reading = reading;
    this.read(reading.signal).then((value) => {
      if (reading.signal.aborted) return;
      this.value = value;
      this.problem = null;
      this.host.requestUpdate();
    }, (problem: unknown) => {
      if (reading.signal.aborted) return;
      this.problem = problem;
      this.host.requestUpdate();
      if (!(problem instanceof Problem) || problem.status === 0 || problem.status === 429 || problem.status >= 500) this.again(RETRY_MS);
    });
  }
}

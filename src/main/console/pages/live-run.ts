// One run, live: its record is the truth, its events only say when to read the record again.
import { call, Problem, type Schemas } from "../record/api";
import { overview } from "../record/overview";
import { Signal } from "../record/signal";
import { events, type ServerEvent } from "../record/sse";

export type Run = Schemas["Run"];
export type Step = Schemas["Step"];
export type AuditEvent = Schemas["AuditEvent"];
type Failure = { at: string; consecutive_failures: number; error: string };

const RETRY_MS = 1_000;
/** After a service has refused the stream because it has too many. */
const RETRY_FULL_MS = 5_000;
/** A lost event stays lost until then. */
const CORRECTION_MS = 30_000;

export function isFinished(run: Run): boolean {
  return run.status !== "awaiting_approval" && run.status !== "waiting" && run.status !== "running";
}

export class LiveRun {
  readonly run = new Signal<Run | null>(null);
  readonly audit = new Signal<AuditEvent[]>([]);
  /** Why the record or the audit log cannot be read; null if they can. */
  readonly problem = new Signal<unknown>(null);
  readonly auditProblem = new Signal<unknown>(null);
  /** The size of each step's output, by the name of its log. */
  readonly sizes = new Signal<ReadonlyMap<string, number>>(new Map());
  readonly renewedAt = new Signal<string>("");
  readonly failure = new Signal<Failure | null>(null);
  /** When the record was read. */
  readonly asOf = new Signal<string>("");
  /** Whether the run is followed, or has ended so that there is nothing to follow. */
  readonly isLive = new Signal<boolean>(false);
  private readonly ended = new AbortController();
  private reading: Promise<void> | null = null;
  private mustReadAgain = false;
  private row: unknown;

  constructor(readonly id: string) {}

  start(): void {
    let wasLost = overview.connection.value.state === "reconnecting";
    const ends = [
      overview.state.observe(() => this.compare()),
      overview.connection.observe(() => {
        const { state } = overview.connection.value;
        if (state === "live" && wasLost) void this.read();
        wasLost = state === "reconnecting";
      }),
    ];
    const correction = setInterval(() => { if (!this.isOver()) void this.read(); }, CORRECTION_MS);
    this.ended.signal.addEventListener("abort", () => {
      clearInterval(correction);
      for (const end of ends) end();
    });
    void this.follow();
  }

  stop(): void {
    this.ended.abort();
  }

  /** Reads the record again, now or after the present reading. */
  read(): Promise<void> {
    this.mustReadAgain = this.reading !== null;
    this.reading ??= this.readAll().finally(() => { this.reading = null; });
    return this.reading;
  }

  private isOver(): boolean {
    return this.run.value !== null && isFinished(this.run.value);
  }

  /** A change of the run's row in the overview is a reason to read the record. */
  private compare(): void {
    const row = overview.state.value?.runs[this.id];
    const shape = row && JSON.stringify([row.status, row.step?.index, row.waiting]);
    if (shape !== this.row) {
      this.row = shape;
      if (!this.isOver()) void this.read();
    }
  }

  private async readAll(): Promise<void> {
    do {
      this.mustReadAgain = false;
      const signal = this.ended.signal;
      const [run, audit] = await Promise.allSettled([
        call("GET /runs/{id}", { path: { id: this.id }, signal }),
        // Without the record there is nothing to add to.
        this.problem.value ? Promise.resolve(null) : call("GET /audit", { query: { request_id: this.id, limit: 200 }, signal }),
      ]);
      if (signal.aborted) return;
      this.asOf.value = run.status === "fulfilled" ? new Date().toISOString() : this.asOf.value;
      this.problem.value = run.status === "rejected" ? run.reason : null;
      this.auditProblem.value = audit.status === "rejected" ? audit.reason : null;
      if (audit.status === "fulfilled" && audit.value) this.audit.value = audit.value.events;
      if (audit.status === "fulfilled" && !audit.value && run.status === "fulfilled") this.mustReadAgain = true;
      if (run.status === "fulfilled") {
        // A reading that began before the end must not bring a finished run back to life.
        if (!this.isOver() || isFinished(run.value)) this.run.value = run.value;
        if (this.isOver()) this.isLive.value = true;
      }
    } while (this.mustReadAgain);
  }

  private async follow(): Promise<void> {
    let lastId = "";
    while (!this.ended.signal.aborted) {
      await this.read();
      if (this.ended.signal.aborted || this.isOver() || this.isMissing()) return;
      let isFull = false;
      try {
        for await (const event of events(`/runs/${encodeURIComponent(this.id)}/events?output=sizes`, this.ended.signal, lastId)) {
          lastId = event.id || lastId;
          if (!this.problem.value) this.isLive.value = true;
          this.take(event);
        }
      } catch (e) {
        // The record says what happened, once it can be read again.
        isFull = e instanceof Problem && e.status === 429;
      }
      this.isLive.value = this.isOver();
      await new Promise((resolve) => setTimeout(resolve, isFull ? RETRY_FULL_MS : RETRY_MS));
    }
  }

  private isMissing(): boolean {
    return this.problem.value instanceof Problem && this.problem.value.status === 404;
  }

  private take(event: ServerEvent): void {
    switch (event.name) {
      case "output_size": {
        const { log, size } = JSON.parse(event.data) as { log: string; size: number };
        this.sizes.value = new Map(this.sizes.value).set(log, size);
        break;
      }
      case "heartbeat":
        this.renewedAt.value = (JSON.parse(event.data) as { at: string }).at;
        this.failure.value = null;
        break;
      case "heartbeat_failed":
        this.failure.value = JSON.parse(event.data) as Failure;
        void this.read();
        break;
      case "run_finished":
        this.run.value = JSON.parse(event.data) as Run;
        void this.read();
        // The last events of the audit log may follow the end of the run.
        setTimeout(() => { if (!this.ended.signal.aborted) void this.read(); }, RETRY_MS);
        break;
      default:
        void this.read();
    }
  }
}

// One task: what it is, its claim, and its events as they come.
import { html, nothing, type TemplateResult } from "lit";
import { announce } from "../parts/announce";
import { Component, define } from "../parts/component";
import { left } from "../parts/left";
import { moment } from "../parts/moment";
import { agentLink, intentLink, taskLink } from "../parts/names";
import { problem } from "../parts/problem";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { Limit, table } from "../parts/table";
import { call, Problem, type Schemas } from "../record/api";
import { overview, type TaskRow } from "../record/overview";
import { Reading } from "../record/reading";
import { events } from "../record/sse";

type Event = Schemas["TaskEvent"];
const RETRY_MS = 1_000;

class Task extends Component {
  static override properties = { task: {} };
  declare task: string;
  private readonly record = new Reading(this, async (signal) => (await call("GET /tasks/{id}", { path: { id: this.task }, signal })).data);
  private readonly limit = new Limit(this);
  /** The newest first. */
  private events: Event[] = [];
  private following: AbortController | null = null;

  constructor() {
    super();
    this.observe(overview.state);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.record.restart();
    this.following = new AbortController();
    void this.follow(this.following.signal);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.following?.abort();
  }

  /** Reads past and new events until the task is completed. */
  private async follow(signal: AbortSignal): Promise<void> {
    const begun = Date.now();
    while (!signal.aborted) {
      try {
        for await (const event of events(`/tasks/${encodeURIComponent(this.task)}/events`, signal, this.events[0] ? String(this.events[0].id) : "")) {
          this.add(JSON.parse(event.data) as Event, begun);
        }
        if (this.record.value?.status === "completed") return;
      } catch (e) {
        if (e instanceof Problem && e.status === 404) return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  private add(event: Event, begun: number): void {
    this.events = [event, ...this.events];
    this.record.again();
    if (Date.parse(event.at) > begun && event.kind !== "task_heartbeat") announce(`Task ${this.task}: ${said(event)} by ${event.agent}.`);
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const task = this.record.value;
    if (!task) return html`<h1>Task ${this.task}</h1>${this.record.problem ? problem(this.record.problem) : html`<p class="quiet">Reading the task</p>`}`;
    const unfinished = overview.state.value?.tasks ?? {};
    return html`<h1>${task.title}</h1>
      <p>${status(task.claim_active === false && task.status === "in_progress" ? "claim expired" : task.status)}
        ${task.status === "blocked" ? html` ${task.blocked_reason ?? "no reason given"}` : nothing}
        ${task.status === "in_progress" ? html` claimed by ${agentLink(task.claimed_by)}; ${claim(task)}; renewed ${moment(task.last_heartbeat_at)}` : nothing}</p>
      ${problem(this.record.problem)}
      ${task.description ? html`<pre>${task.description}</pre>` : nothing}
      <dl>
        <dt>Task</dt><dd class="mono">${task.id}</dd>
        <dt>Created</dt><dd>by ${task.created_by}, ${moment(task.created_at)}</dd>
        <dt>Assigned to</dt><dd>${task.assigned_to ? agentLink(task.assigned_to) : "any agent"}</dd>
        <dt>Priority</dt><dd>${task.priority}</dd>
        ${task.project ? html`<dt>Project</dt><dd>${task.project}</dd>` : nothing}
        ${task.depends_on.length > 0 ? html`<dt>Depends on</dt><dd>${task.depends_on.map((id, i) => html`${i > 0 ? ", " : nothing}${taskLink(id)}
          ${status(unfinished[id]?.status ?? "completed")}`)}</dd>` : nothing}
        ${task.attempt > 0 ? html`<dt>Attempts</dt><dd>${task.attempt}</dd>` : nothing}
        ${task.intent ? html`<dt>Intent</dt><dd>${intentLink(task.intent)} <code>${JSON.stringify(task.params ?? {})}</code></dd>` : nothing}
      </dl>
      ${this.events.length === 0 ? nothing : table({ caption: html`Events, the newest first<span class="count">${this.events.length}</span>`,
        rows: this.limit.of(this.events), key: (it) => String(it.id), columns: [
          { name: "Event", cell: said },
          { name: "When", kind: "short", cell: (it) => moment(it.at) },
          { name: "Time", kind: "short", cell: (it) => stamp(it.at) },
          { name: "Agent", cell: (it) => agentLink(it.agent) },
          { name: "Attempt", kind: "number", cell: (it) => it.attempt || "" },
          { name: "Details", cell: details },
        ] })}
      ${this.limit.note(this.events.length)}`;
  }
}

/** The time that a claim has left. */
export function claim(it: TaskRow): TemplateResult | string {
  if (it.claim_active === false) return html`${status("claim expired")} ${moment(it.claim_expires_at)}`;
  const ttl = (Date.parse(it.claim_expires_at ?? "") - Date.parse(it.last_heartbeat_at ?? it.claimed_at ?? "")) / 1000;
  return left(it.claim_expires_at, ttl);
}

const said = (event: Event) => event.kind.replace("task_", "").replace("heartbeat", "claim renewed").replace("lost", "claim lost");

function details(event: Event): unknown {
  const it = event.detail;
  return [it.title && `“${it.title}”`, it.priority && `priority ${it.priority}`, it.assigned_to && `assigned to ${it.assigned_to}`,
    it.reason, it.ttl_seconds && `for ${it.ttl_seconds} s`].filter(Boolean).join(", ");
}

define("tower-task", Task);

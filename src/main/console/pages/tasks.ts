// The unfinished tasks, live; of one agent with ?agent=; and one task with its events.
import { html, nothing, type TemplateResult } from "lit";
import { action } from "../parts/action";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { ask } from "../parts/dialog";
import { filterBox, matcher } from "../parts/filter";
import { moment } from "../parts/moment";
import { agentLink, taskLink } from "../parts/names";
import { problem } from "../parts/problem";
import { place, replace } from "../parts/router";
import { status } from "../parts/status";
import { Limit, table, type Column } from "../parts/table";
import { call } from "../record/api";
import { overview, type Overview, type TaskRow } from "../record/overview";
import { pages } from "../record/pages";
import { Reading } from "../record/reading";
import { session } from "../record/session";
import { claim } from "./task";

/** The number of completed tasks that are shown at first. */
const COMPLETED = 50;
/** The maximum number of tasks of one page. */
const MOST = 10_000;

class Tasks extends PageComponent {
  private readonly limits = [new Limit(this), new Limit(this), new Limit(this), new Limit(this, COMPLETED)];
  private readonly completed = new Reading(this, async (signal) =>
    pages(this.wanted, MOST, async (limit, cursor) => {
      const page = await call("GET /tasks", { query: { status: "completed", limit, cursor }, signal });
      return { ...page, next: page.data?.next };
    }, (page) => page.data?.tasks.length ?? 0));
  private wanted = MOST;
  private open = new Set<string>();
  /** Tasks that were completed while this page is open; the newest first. */
  private seen: string[] = [];

  constructor() {
    super();
    this.observe(overview.state, place, session.caller);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (!this.name) this.completed.restart();
  }

  protected override willUpdate(): void {
    if (this.name) return;
    const ids = new Set(Object.keys(overview.state.value?.tasks ?? {}));
    const ended = [...this.open].filter((id) => !ids.has(id));
    this.open = ids;
    if (ended.length > 0) {
      this.seen = [...ended, ...this.seen].slice(0, COMPLETED);
      this.completed.again();
    }
  }

  override render(): TemplateResult {
    if (this.name) return html`<tower-task .task=${this.name}></tower-task>`;
    const state = overview.state.value;
    if (!state) return html`<h1>Tasks</h1><p class="quiet">Reading the state</p>`;
    const agent = place.value.query.get("agent") ?? "";
    const matches = matcher();
    const isFound = (it: TaskRow) => matches(it.id, it.title, it.project, it.assigned_to, it.claimed_by, it.intent, it.created_by);
    const rows = Object.values(state.tasks).filter(isFound);
    const isOf = (it: TaskRow) => !agent || it.claimed_by === agent || it.assigned_to === agent;
    const claimed = rows.filter((it) => it.status === "in_progress" && (!agent || it.claimed_by === agent));
    const blocked = rows.filter((it) => it.status === "blocked" && isOf(it));
    // A task without an agent may be claimed by any agent.
    const pending = rows.filter((it) => it.status === "pending" && (isOf(it) || !it.assigned_to)).sort((a, b) => b.priority - a.priority
      || a.created_at.localeCompare(b.created_at));
    const completed = this.completedRows().filter((it) => isFound(it) && isOf(it));
    const isEmpty = claimed.length + blocked.length + pending.length === 0;
    return html`
      <div class="head"><h1>${agent ? html`Tasks of ${agent}` : "Tasks"}</h1>
        <div class="filters">${this.agents(state, agent)}${filterBox()}</div></div>
      ${state.truncated?.includes("tasks") ? html`<p>These are the first 1,000 unfinished tasks. More of them: ${command("tower task list --limit 10000")}</p>` : nothing}
      ${isEmpty ? this.empty(state, agent) : nothing}
      ${this.list(0, "Claimed", claimed, [{ name: "Claimed by", cell: (it) => agentLink(it.claimed_by) },
        { name: "Claim", kind: "short", cell: (it) => claim(it) }, { name: "Attempt", kind: "number", cell: (it) => it.attempt }])}
      ${this.sweep(claimed)}
      ${this.list(1, "Blocked", blocked, [{ name: "Why", cell: (it) => it.blocked_reason ?? "" }, { name: "Assigned to", cell: (it) => agentLink(it.assigned_to) }])}
      ${this.list(2, "Pending, in the order in which they are offered", pending, [
        { name: "Waits for", cell: (it) => dependencies(it, state) }, { name: "Assigned to", cell: (it) => it.assigned_to ? agentLink(it.assigned_to) : html`<span class="quiet">any agent</span>` },
        { name: "Priority", kind: "number", cell: (it) => it.priority }])}
      ${completed.length > 0 ? html`${table({ caption: "Completed", rows: this.limits[3]!.of(completed), key: (it) => it.id, columns: [
        { name: "Task", cell: (it) => named(it) }, { name: "State", cell: (it) => status(it.status) },
        { name: "Agent", cell: (it) => agentLink(it.claimed_by ?? it.assigned_to) }, { name: "Project", cell: (it) => it.project ?? "" },
        { name: "Created", kind: "short", cell: (it) => moment(it.created_at) }] })}${this.limits[3]!.note(completed.length)}` : nothing}
      ${this.completed.value?.hasMore ? html`<p class="more">Not all completed tasks have been read
        <button type="button" @click=${() => { this.wanted += MOST; this.completed.again(); }}>Read more</button></p>` : nothing}
      ${problem(this.completed.problem)}`;
  }

  /** Those that were completed while the page is open come first. */
  private completedRows(): TaskRow[] {
    const place = (it: TaskRow) => this.seen.includes(it.id) ? this.seen.indexOf(it.id) : COMPLETED;
    const rows = (this.completed.value?.pages ?? []).flatMap((page) => page.data?.tasks ?? []);
    return rows.sort((a, b) => place(a) - place(b) || b.created_at.localeCompare(a.created_at));
  }

  private agents(state: Overview, agent: string): TemplateResult {
    const known = new Set(Object.values(state.tasks).flatMap((it) => [it.claimed_by, it.assigned_to]).filter((it) => it !== undefined));
    if (agent) known.add(agent);
    return html`<label>Agent <select @change=${(event: Event) => replace({ agent: (event.target as HTMLSelectElement).value })}>
      <option value="" ?selected=${!agent}>all</option>${[...known].sort().map((it) =>
        html`<option value=${it} ?selected=${it === agent}>${it}</option>`)}</select></label>`;
  }

  private list(limit: number, caption: string, rows: TaskRow[], columns: Array<Column<TaskRow>>): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    return html`${table({ caption: html`${caption}<span class="count">${rows.length}</span>`, rows: this.limits[limit]!.of(rows), key: (it) => it.id,
      columns: [{ name: "Task", cell: named }, ...columns, { name: "Project", cell: (it) => it.project ?? "" },
        { name: "Created", kind: "short", cell: (it) => moment(it.created_at) }] })}${this.limits[limit]!.note(rows.length)}`;
  }

  private empty(state: Overview, agent: string): TemplateResult {
    if (Object.keys(state.tasks).length > 0) return html`<p class="empty">No unfinished task matches.</p>`;
    return html`<p class="empty">No unfinished task${agent ? ` of ${agent}` : ""}. Create one:
      <code>tower task create 'Fix the login' --agent ${agent || "ann"} --request-id r1</code>. An agent takes the best one:
      <code>tower task claim --agent ${agent || "ann"} --request-id r2</code></p>`;
  }

  private sweep(claimed: TaskRow[]): TemplateResult | typeof nothing {
    const expired = claimed.filter((it) => it.claim_active === false).length;
    return expired === 0 ? nothing : html`<p>${action(`Release ${expired === 1 ? "the expired claim" : `${expired} expired claims`}`, "agent", () => ask({
      title: "Release all claims that have expired?", text: "Their agents have lost them; the tasks become pending and are offered again.",
      action: "Release expired claims", perform: () => call("POST /tasks/gc", { body: { agent: session.caller.value?.name ?? "", request_id: `console-${Date.now()}` } }) }))}</p>`;
  }
}

const named = (it: TaskRow) => html`${taskLink(it.id, it.title)} <span class="id mono">${it.id === it.title ? nothing : it.id}</span>`;

/** The tasks that must be completed first. */
function dependencies(it: TaskRow, state: Overview): unknown {
  const open = it.depends_on.filter((id) => state.tasks[id]);
  return open.map((id, i) => html`${i > 0 ? ", " : nothing}${taskLink(id, state.tasks[id]?.title)}`);
}

define("page-tasks", Tasks);

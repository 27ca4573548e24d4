import { html, nothing, type TemplateResult } from "lit";
import { action, actionLink } from "../parts/action";
import { announce } from "../parts/announce";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { left } from "../parts/left";
import { moment } from "../parts/moment";
import { actor, intentAddress, runAddress } from "../parts/names";
import { problem } from "../parts/problem";
import { place, replace } from "../parts/router";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { Limit, table } from "../parts/table";
import { call, Problem } from "../record/api";
import { overview } from "../record/overview";
import { Reading } from "../record/reading";
import { session } from "../record/session";
import { duration } from "../record/time";
import { forceRelease, freeze, lift, release, takeOver } from "./lock-actions";
import { readHistory, usual, type Event, type History } from "./lock-history";
import { announcement, intentWith, isRun, NAME, shownState, takers } from "./lock-intents";
import { freezing, holdingsTable, usually } from "./lock-past";
import { forWhom, frozenText, isHeld, purpose, waitText, type Held, type View } from "./lock-text";
import { why } from "./lock-why";

const EVENTS = 1_000;
const FREEZES_SHOWN = 50;

class Lock extends PageComponent {
  private readonly lock = new Reading<View | null>(this, async (signal) => {
    const state = overview.state.value;
    // A free lock is answered with 404, which browsers report as an error.
    if (state && !state.locks[this.name] && !state.freezes[this.name]) return null;
    try {
      return await call("GET /locks/{name}", { path: { name: this.name }, signal }) as View;
    } catch (e) {
      if (e instanceof Problem && e.status === 404 && e.code === "lock_not_found") return null;
      throw e;
    }
  });
  private readonly log = new Reading(this, (signal) =>
    call("GET /audit", { query: { lock_name: this.name, limit: EVENTS }, signal }), 2_000);
  private readonly intents = new Reading(this, (signal) => call("GET /intents", { signal }), 60_000);
  /** The run that holds the lock. */
  private readonly run = new Reading(this,
    (signal) => call("GET /runs/{id}", { path: { id: this.lock.value!.request_id! }, signal }), 5_000);
  private runId = "";
  private runRead = "";
  private announced = "";
  private hasArrived = false;
  private holding = "";
  private done = "";
  private readonly limit = new Limit(this);
  private known: { events: Event[]; holder?: string; history: History } | null = null;

  constructor() {
    super();
    this.observe(session.caller);
    this.watch(overview.state, () => this.changed());
  }

  private changed(): void {
    const announced = announcement(overview.state.value, this.name);
    if (announced === this.announced || !NAME.test(this.name)) return;
    this.announced = announced;
    this.lock.again();
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("name")) {
      this.done = "";
      this.holding = "";
      this.runId = this.runRead = "";
      this.announced = announcement(overview.state.value, this.name);
      if (!NAME.test(this.name)) return;
      this.run.clear();
      this.log.clear();
      if (overview.state.value) this.lock.restart(); else this.lock.clear();
      this.intents.restart();
    }
    const lock = this.lock.value;
    if (lock === undefined) return;
    const holding = JSON.stringify([lock?.request_id, lock?.state, lock?.fencing_token, lock?.frozen]);
    if (holding !== this.holding) {
      this.holding = holding;
      this.log.again();
    }
    this.runId = lock && isRun(lock) ? lock.request_id ?? "" : "";
    // The values of a run whose lock may be taken over by the same run again; the log says that there is such a run.
    const wanted = lock?.state === "stale" && this.history().holdings.some((it) => it.isRun && it.request_id === this.runId) ? this.runId : "";
    if (wanted !== this.runRead) {
      this.runRead = wanted;
      if (wanted) this.run.restart(); else this.run.clear();
    }
  }

  /** A link to the queue, or to the question of a take-over, arrives before the lock is there. */
  override updated(): void {
    if (this.hasArrived || this.lock.value === undefined) return;
    this.hasArrived = true;
    const lock = this.lock.value;
    if (place.value.hash === "queue") this.querySelector("#queue")?.scrollIntoView();
    if (place.value.hash !== "take-over") return;
    // A page that is loaded again does not ask again.
    replace({});
    if (lock?.state === "stale" && !lock.frozen && session.may("operator")) void this.takeOver(lock as Held);
  }

  override render(): TemplateResult {
    if (!NAME.test(this.name)) {
      return html`<h1>Lock <code>${this.name}</code></h1><p class="empty">This is not a valid name of a lock: 1 to 128 of a-z 0-9 - _, from a letter or
        digit to a letter or digit. <a href="/console/locks">See the locks</a>.</p>`;
    }
    const lock = this.lock.value;
    return html`<p class="crumb"><a href="/console/locks">Locks</a></p>
      <h1>Lock <code>${this.name}</code> ${lock === undefined ? nothing : this.badges(lock)}</h1>
      ${problem(this.lock.problem)}
      ${lock === undefined ? (this.lock.problem ? nothing : html`<p class="quiet">Reading the lock</p>`) : html`
        <p class="lead">${this.sentence(lock)}</p>
        <p class="done">${this.done}</p>
        ${this.mine(lock)}
        ${this.actions(lock)}
        ${why({ name: this.name, lock, isMine: this.isMine, takers: takers(this.name, this.intents.value?.intents ?? []),
          run: this.runId ? { id: this.runId, status: this.run.value?.status } : undefined, usualSeconds: usual(this.history().holdings)?.median })}
        ${this.queue(lock)}
        ${this.facts(lock)}`}
      ${this.past()}`;
  }

  private badges(lock: View | null): TemplateResult {
    return html`${status(lock ? shownState(lock.state) : "free")}
      ${lock?.holder ? status("gone") : nothing} ${lock?.frozen ? status("frozen") : nothing}`;
  }

  // What it is now.

  private sentence(lock: View | null): TemplateResult {
    const waiters = lock?.waiters ?? 0;
    const wait = waiters ? html` <a href="#queue">${waitText(waiters)}</a>.` : nothing;
    const frozen = lock?.frozen ? html` ${frozenText(lock.frozen)}` : nothing;
    if (!lock || lock.state === "free") return html`Free: no request holds it.${frozen}${wait}`;
    if (!isHeld(lock)) return html`Unreadable: ${lock.problem ?? `it has lock version ${lock.lock_version}, which this version does not know`}.${frozen}${wait}`;
    const holder = html`<strong>${lock.actor}</strong>${forWhom(lock.metadata.on_behalf_of)} ${purpose(lock)}`;
    if (lock.state === "stale") {
      return html`Stale: held by ${holder} since ${moment(lock.created_at, "since")}, but last renewed ${moment(lock.last_heartbeat_at)};
        its time to live is ${duration(lock.ttl_seconds)}${lock.holder ? html`, and <strong>its process is gone</strong>` : nothing}.${frozen}${wait}`;
    }
    return html`Held by ${holder} since ${moment(lock.created_at, "since")}; renewed ${moment(lock.last_heartbeat_at)}.
      ${lock.holder ? html`<strong class="problem">Its process is gone</strong>, so it becomes stale at ${stamp(lock.expires_at)}.` : nothing}${frozen}${wait}`;
  }

  private get isMine(): boolean {
    const lock = this.lock.value;
    return !!lock && lock.state === "active" && isHeld(lock) && !isRun(lock) && lock.intent !== "guard" && lock.actor === session.caller.value?.name;
  }

  /** A lock that this caller holds by hand: nothing renews it but its own requests. */
  private mine(lock: View | null): TemplateResult | typeof nothing {
    if (!lock || !isHeld(lock) || !this.isMine) return nothing;
    return html`<section class="notice" aria-labelledby="mine">
      <h2 id="mine">You hold this lock</h2>
      <p>No process renews it: it is stale at ${stamp(lock.expires_at)} (${left(lock.expires_at, lock.ttl_seconds)}) unless you renew it.
        Release it as soon as the work is done.</p>
      <p class="actions">
        ${action("Release it", "agent", async () => this.did(await release(lock), `You released ${lock.lock_name}.`, true), "primary")}
        ${action(`Renew for ${duration(lock.ttl_seconds)}`, "agent", () => this.renew(lock))}
        ${command(`tower unlock ${lock.lock_name} --request-id ${lock.request_id}`)}</p>
    </section>`;
  }

  // What may be done.

  private actions(lock: View | null): TemplateResult {
    const name = this.name;
    const isFree = !lock || lock.state === "free";
    return html`<div class="actions" role="group" aria-label="Actions">
      ${lock?.state !== "stale" ? nothing : lock.frozen && session.may("operator")
        ? html`<button type="button" aria-disabled="true">Take over… <small>lift the freeze first</small></button>`
        : action("Take over…", "operator", () => this.takeOver(lock as Held), "primary")}
      ${lock?.state === "stale" && isHeld(lock) && this.isKnown(lock.intent)
        ? actionLink(`Run ${lock.intent} again, taking the lock over`, "operator", intentWith(lock.intent, this.run.value?.params, { force: "true" })) : nothing}
      ${lock?.frozen ? action("Lift the freeze…", "operator", async () => this.did(await lift(lock), `The freeze of ${name} is lifted.`, lock.state === "free")) : action("Freeze…", "operator", async () => this.did(await freeze(name, isFree), `${name} is frozen.`))}
      ${isFree ? nothing : action("Force-release…", "operator", async () => this.did(await forceRelease(lock!), `${name} was released by force.`, true))}
    </div>`;
  }

  private isKnown(intent: string): boolean {
    return this.intents.value?.intents.some((it) => it.name === intent) ?? false;
  }

  /** A lock that the overview shows as gone is not read again. */
  private async did(isDone: boolean, what: string, isGone = false): Promise<void> {
    if (!isDone) return;
    this.done = what;
    announce(what);
    if (!isGone) this.lock.again();
    this.log.again();
    this.requestUpdate();
  }

  private async takeOver(lock: Held): Promise<void> {
    await this.did(await takeOver(lock), `You took ${lock.lock_name} over.`);
  }

  private async renew(lock: Held): Promise<void> {
    try {
      await call("POST /locks/{name}/heartbeat", { path: { name: lock.lock_name },
        body: { request_id: lock.request_id, fencing_token: lock.fencing_token } });
      await this.did(true, `You renewed ${lock.lock_name}.`);
    } catch (e) {
      await this.did(true, `It was not renewed: ${e instanceof Error ? e.message : e}`);
    }
  }

  // Who waits, who held it, and for how long.

  private queue(lock: View | null): TemplateResult | typeof nothing {
    if (!lock?.waiters && !lock?.queue?.length) return nothing;
    return html`<section id="queue" aria-labelledby="queue-title"><h2 id="queue-title">Waiting</h2>
      ${lock.queue ? table({ caption: `Requests that wait for ${this.name}, in their order`, isCaptionUnseen: true,
        rows: lock.queue.map((it, i) => ({ ...it, place: i + 1 })), key: (it) => it.request_id, columns: [
          { name: "Place", cell: (it) => it.place },
          { name: "Who", cell: (it) => (it.actor ? actor(it.actor) : html`<span class="quiet">not recorded</span>`) },
          { name: "For", cell: (it) => it.intent ?? "" },
          { name: "Waits since", kind: "short", cell: (it) => moment(it.since, "since") },
          { name: "Request", cell: (it) => this.request(it.request_id, overview.state.value?.runs[it.request_id] !== undefined) },
        ] }) : html`<p>${waitText(lock.waiters)}.</p>`}</section>`;
  }

  private request(id: string, isRun: boolean): TemplateResult {
    return isRun ? html`<a href=${runAddress(id)}><code>${id}</code></a>` : html`<code>${id}</code>`;
  }

  private facts(lock: View | null): TemplateResult | typeof nothing {
    if (!lock || !isHeld(lock)) return lock ? html`<dl class="facts"><div><dt>Kept in</dt><dd><code>${lock.lock_path}</code></dd></div></dl>` : nothing;
    const { fencing_token: _, holder_process: __, on_behalf_of: ___, ...metadata } = lock.metadata;
    const facts: Array<[string, unknown]> = [
      ["Time left", left(lock.expires_at, lock.ttl_seconds)], ["Held since", html`${stamp(lock.created_at)} (${moment(lock.created_at)})`],
      ["Last renewed", html`${stamp(lock.last_heartbeat_at)} (${moment(lock.last_heartbeat_at)})`],
      ["Request", this.runId ? html`<a href=${runAddress(lock.request_id)}><code>${lock.request_id}</code></a>` : html`<code>${lock.request_id}</code>`],
      ["Intent", html`${this.isKnown(lock.intent) ? html`<a href=${intentAddress(lock.intent)}>${lock.intent}</a>` : lock.intent} ${lock.intent_version === "none" ? "" : lock.intent_version}`],
      ["Host", `${lock.host_id}, pid ${lock.pid}`], ["Fencing token", lock.fencing_token], ["Time to live", duration(lock.ttl_seconds)],
      ["Kept in", html`<code>${lock.lock_path}</code>`]];
    if (lock.heartbeats?.consecutive_failures) {
      facts.unshift(["Heartbeats", html`<span class="problem">${lock.heartbeats.consecutive_failures} failed in a row: ${lock.heartbeats.last_error}</span>`]);
    }
    if (Object.keys(metadata).length) facts.push(["Metadata", html`<code>${JSON.stringify(metadata)}</code>`]);
    return html`<section aria-labelledby="record"><h2 id="record">Record</h2>
      <dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
  }

  private history(): History {
    const events = this.log.value?.events as Event[] | undefined;
    if (!events) return { holdings: [], freezes: [] };
    const holder = this.lock.value?.request_id;
    if (this.known?.events !== events || this.known.holder !== holder) {
      this.known = { events, holder, history: readHistory(events, holder) };
    }
    return this.known.history;
  }

  private past(): TemplateResult {
    const { holdings, freezes } = this.history();
    const isAll = this.log.value && !this.log.value.next;
    return html`<section aria-labelledby="history"><h2 id="history">History</h2>
      ${problem(this.log.problem)}
      ${this.log.value === undefined ? (this.log.problem ? nothing : html`<p class="quiet">Reading the audit log</p>`)
      : holdings.length === 0 ? html`<p>The audit log has no record that this lock was held. Events appear here when a run takes it.</p>` : html`
        ${usually(holdings)}
        ${holdingsTable(this.name, this.limit.of(holdings), (id, isRun) => this.request(id, isRun), this.lock.value?.state === "stale")}${this.limit.note(holdings.length)}`}
      ${this.log.value && !isAll ? html`<p class="quiet">From the newest ${EVENTS} events of this lock; older ones are in
        <a href=${`/console/audit?lock=${this.name}`}>the audit log</a>.</p>`
      : html`<p><a href=${`/console/audit?lock=${this.name}`}>All events of this lock</a></p>`}
      ${freezes.length ? html`<h3>Freezes</h3><ul>${freezes.slice(0, FREEZES_SHOWN).map(freezing)}</ul>` : nothing}</section>`;
  }
}

define("page-lock", Lock);

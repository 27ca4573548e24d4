import { html, nothing, type TemplateResult } from "lit";
import { place, replace } from "../app/router";
import { session } from "../app/session";
import { action, actionLink } from "../parts/action";
import { announce } from "../parts/announce";
import { command } from "../parts/command";
import { define, PageComponent } from "../parts/component";
import { ask } from "../parts/dialog";
import { left } from "../parts/left";
import { moment } from "../parts/moment";
import { actor, intentAddress, runAddress } from "../parts/names";
import { problem } from "../parts/problem";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { Limit, table } from "../parts/table";
import { call, Problem, type Schemas } from "../record/api";
import { overview } from "../record/overview";
import { Reading } from "../record/reading";
import { duration } from "../record/time";
import { readHistory, usual, type Event, type History } from "./lock-history";
import { announcement, intentWith, isRun, NAME, newId, shownState, takers, type Taker } from "./lock-intents";
import { freezing, holdingsTable, usually } from "./lock-past";
import { forWhom, frozenText, isHeld, purpose, type Held, type View } from "./lock-text";

type Reason = { title: TemplateResult | string; helps: Array<{ why: string; how: TemplateResult | TemplateResult[] }> };

const EVENTS = 1_000;
const FREEZES_SHOWN = 50;
const FREEZES: Array<[string, string]> = [["900", "15 minutes"], ["1800", "30 minutes"], ["3600", "1 hour"], ["14400", "4 hours"],
  ["86400", "1 day"], ["604800", "7 days"]];
const TTLS: Array<[string, string]> = [["300", "5 minutes"], ["900", "15 minutes"], ["3600", "1 hour"], ["14400", "4 hours"]];

const choice = (name: string, label: string, values: Array<[string, string]>, chosen: string) => html`<label for="dialog-${name}">${label}</label>
  <select id="dialog-${name}" name=${name}>${values.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}</select>`;

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
  private readonly run = new Reading<Schemas["Run"] & { params?: Record<string, unknown>; secret_params?: string[] }>(this,
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
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.end = overview.state.observe(() => this.changed());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.end?.();
  }

  private end: (() => void) | undefined;

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
        ${this.why(lock)}
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
    const wait = waiters ? html` <a href="#queue">${waiters === 1 ? "1 request waits" : `${waiters} requests wait`}</a>.` : nothing;
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
        ${action("Release it", "agent", () => this.release(lock), "primary")}
        ${action(`Renew for ${duration(lock.ttl_seconds)}`, "agent", () => this.renew(lock))}
        ${command(`tower unlock ${lock.lock_name} --request-id ${lock.request_id}`)}</p>
    </section>`;
  }

  // What may be done.

  private actions(lock: View | null): TemplateResult {
    const isFree = !lock || lock.state === "free";
    return html`<div class="actions" role="group" aria-label="Actions">
      ${lock?.state !== "stale" ? nothing : lock.frozen && session.may("operator")
        ? html`<button type="button" aria-disabled="true">Take over… <small>lift the freeze first</small></button>`
        : action("Take over…", "operator", () => this.takeOver(lock as Held), "primary")}
      ${lock?.state === "stale" && isHeld(lock) && this.isKnown(lock.intent)
        ? actionLink(`Run ${lock.intent} again, taking the lock over`, "operator", intentWith(lock.intent, this.run.value?.params, { force: "true" })) : nothing}
      ${lock?.frozen ? action("Lift the freeze…", "operator", () => this.lift(lock)) : action("Freeze…", "operator", () => this.freeze(lock))}
      ${isFree ? nothing : action("Force-release…", "operator", () => this.forceRelease(lock!))}
    </div>`;
  }

  private isKnown(intent: string): boolean {
    return this.intents.value?.intents.some((it) => it.name === intent) ?? false;
  }

  /** A lock that is gone is not read again: the overview says so. */
  private async did(isDone: boolean, what: string, isGone = false): Promise<void> {
    if (!isDone) return;
    this.done = what;
    announce(what);
    if (!isGone) this.lock.again();
    this.log.again();
    this.requestUpdate();
  }

  private async takeOver(lock: Held): Promise<void> {
    const name = this.name;
    const id = newId();
    const body = (reason: string, ttl: string) => ({ force_lock: true, reason, ttl_seconds: Number(ttl), request_id: id } as Schemas["LockRequest"]);
    await this.did(await ask({
      title: `Take over ${name}`,
      text: html`You hold ${name} afterwards, and ${lock.actor} (${lock.intent}) has lost it. If that work still goes on somewhere,
        both work at the same time: make sure that it has ended. The audit log keeps the hash of the previous lock.`,
      fields: choice("ttl", "Hold it, without a renewal, for", TTLS, "900"),
      needsReason: true, isDangerous: true, action: `Take over ${name}`,
      perform: (reason, form) => call("POST /locks/{name}", { path: { name }, body: body(reason, String(form.get("ttl"))) }),
    }), `You took ${name} over.`);
  }

  private async forceRelease(lock: View): Promise<void> {
    const name = this.name;
    await this.did(await ask({
      title: `Force-release ${name}`,
      text: html`${isHeld(lock) ? html`${lock.actor} (${lock.intent}) loses the lock` : "The lock is removed"}, and the next request may take it at once.
        ${lock.state === "active" && !lock.holder ? html`<strong>Its holder renewed it ${moment(lock.last_heartbeat_at)} and still works.</strong>
          To end a run, cancel it instead.` : "Make sure that the work under it has ended."}`,
      needsReason: true, isDangerous: true, action: `Force-release ${name}`,
      perform: (reason) => call("POST /locks/{name}/force-release", { path: { name }, body: { reason } }),
    }), `${name} was released by force.`, true);
  }

  private async freeze(lock: View | null): Promise<void> {
    const name = this.name;
    const isFree = !lock || lock.state === "free";
    await this.did(await ask({
      title: `Freeze ${name}`,
      text: `No request can take ${name} until the freeze ends or is lifted, not even by force. Those that wait keep waiting.${
        isFree ? "" : " The present holder is not affected."}`,
      fields: choice("ttl", "For", FREEZES, "3600"),
      needsReason: true, action: `Freeze ${name}`,
      perform: (reason, form) => call("PUT /freezes/{name}", { path: { name }, body: { reason, ttl_seconds: Number(form.get("ttl")) } }),
    }), `${name} is frozen.`);
  }

  private async lift(lock: View): Promise<void> {
    const name = this.name;
    await this.did(await ask({
      title: `Lift the freeze of ${name}`,
      text: html`${lock.frozen ? frozenText(lock.frozen) : ""} Afterwards ${lock.waiters ? "the first of the waiting requests" : "any request"} may take the lock.`,
      action: `Lift the freeze of ${name}`,
      perform: () => call("DELETE /freezes/{name}", { path: { name } }),
    }), `The freeze of ${name} is lifted.`, lock.state === "free");
  }

  private async release(lock: Held): Promise<void> {
    await this.did(await ask({
      title: `Release ${lock.lock_name}`,
      text: `The lock is free afterwards, and the next request may take it.`,
      action: `Release ${lock.lock_name}`,
      perform: () => call("DELETE /locks/{name}", { path: { name: lock.lock_name },
        query: { request_id: lock.request_id, fencing_token: lock.fencing_token } }),
    }), `You released ${lock.lock_name}.`, true);
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

  // Why it is not available.

  private why(lock: View | null): TemplateResult {
    const reasons = this.reasons(lock);
    if (reasons.length === 0 && this.isMine) return html``;
    if (reasons.length === 0) {
      return html`<section aria-labelledby="why"><h2 id="why">How it is taken</h2>
        <ul class="helps">${this.takes()}
          <li>Hold it by hand: ${command(`tower lock ${this.name} --ttl 15m`)}</li>
          <li>Run a command under it: ${command(`tower guard ${this.name} -- COMMAND`)}</li></ul></section>`;
    }
    return html`<section aria-labelledby="why"><h2 id="why">Why it is not available, and what helps</h2>
      <ol class="reasons">${reasons.map((reason) => html`<li><p>${reason.title}</p>
        <ul class="helps">${reason.helps.map((help) => html`<li>${help.why}: ${help.how}</li>`)}</ul></li>`)}</ol></section>`;
  }

  private reasons(lock: View | null): Reason[] {
    if (!lock) return [];
    const name = this.name;
    const reasons: Reason[] = [];
    if (lock.frozen) {
      reasons.push({ title: frozenText(lock.frozen), helps: [
        { why: "Wait until the freeze ends", how: this.waits("1h") },
        { why: "Lift it, if it is no longer wanted (operator)", how: command(`tower unfreeze ${name}`) }] });
    }
    if (isHeld(lock) && !this.isMine) {
      const run = this.runId ? [{ why: "See how far its run came", how: html`<a href=${runAddress(this.runId)}>run ${this.runId}</a> ${this.run.value ? status(this.run.value.status) : nothing}` }] : [];
      if (lock.state === "stale") {
        reasons.push({ title: html`Its holder sent no heartbeat for ${moment(lock.last_heartbeat_at, "since")}. Waiting does not help.`, helps: [
          ...run, { why: "If its work has ended, take it over (operator)", how: this.forces() },
          { why: "Or free it (operator)", how: command(`tower force-release ${name} --reason "its holder is gone"`) }] });
      } else if (lock.holder) {
        reasons.push({ title: html`Its holder's process is gone. It becomes stale at ${stamp(lock.expires_at)}.`, helps: [
          ...run, { why: "Free it before that, if its work has ended (operator)", how: command(`tower force-release ${name} --reason "its holder is gone"`) }] });
      } else {
        const time = usual(this.history().holdings);
        reasons.push({ title: html`${lock.actor} holds it${lock.metadata.holder_process === undefined ? html`, until ${stamp(lock.expires_at)} unless it is renewed`
          : ", and its process renews it"}.${time && time.median > 0 ? ` It is usually held for ${duration(time.median)}.` : ""}`,
          helps: [...run, { why: "Wait for it", how: this.waits("10m") }] });
      }
      if (lock.clock_skew) reasons.push({ title: "Its last heartbeat lies ahead of the service's clock.",
        helps: [{ why: "See what is wrong with the clock", how: command("tower doctor") }] });
    } else if (lock.state === "corrupt" || lock.state === "unsupported") {
      reasons.push({ title: `The lock cannot be read: ${lock.problem ?? `version ${lock.lock_version}`}`, helps: [
        { why: "Remove it, if it is not held (operator)", how: command(`tower force-release ${name} --reason "it is not held"`) }] });
    }
    if (reasons.length > 0 && lock.waiters > 0) {
      reasons.push({ title: `${lock.waiters === 1 ? "1 request waits" : `${lock.waiters} requests wait`} before a new one.`,
        helps: [{ why: "See who", how: html`<a href="#queue">the queue</a>` }] });
    }
    return reasons;
  }

  private taken(): Taker[] {
    return this.intents.value ? takers(this.name, this.intents.value.intents) : [];
  }

  private commandOf(taker: Taker, options: string): string {
    const params = Object.entries(taker.params ?? {}).map(([name, value]) => ` -p ${name}=${value}`).join("");
    return `tower run ${taker.intent}${params}${options}`;
  }

  private takes(): TemplateResult[] {
    return this.taken().map((taker) => html`<li>Run <a href=${intentWith(taker.intent, taker.params ?? {})}>${taker.intent}</a>${
      taker.params ? html`: ${command(this.commandOf(taker, ""))}` : nothing}</li>`);
  }

  private waits(patience: string): TemplateResult {
    const [taker, ...others] = this.taken();
    if (!taker) return command(`tower lock ${this.name} --wait ${patience}`);
    const link = html`<a href=${intentWith(taker.intent, taker.params ?? {}, { wait: "600" })}>run ${taker.intent} and wait</a>`;
    return taker.params && others.length === 0 ? html`${link} ${command(this.commandOf(taker, ` --wait ${patience}`))}` : link;
  }

  private forces(): TemplateResult {
    const [taker, ...others] = this.taken();
    return command(taker?.params && others.length === 0 ? this.commandOf(taker, " --force-lock") : `tower lock ${this.name} --force-lock`);
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
        ] }) : html`<p>${lock.waiters === 1 ? "1 request waits" : `${lock.waiters} requests wait`}.</p>`}</section>`;
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
    const isAll = this.log.value && !this.log.value.truncated && this.log.value.events.length < EVENTS;
    return html`<section aria-labelledby="history"><h2 id="history">History</h2>
      ${problem(this.log.problem)}
      ${this.log.value === undefined ? (this.log.problem ? nothing : html`<p class="quiet">Reading the audit log</p>`)
      : holdings.length === 0 ? html`<p>The audit log has no holding of this lock. Events appear here when a run takes it.</p>` : html`
        ${usually(holdings)}
        ${holdingsTable(this.name, this.limit.of(holdings), (id, isRun) => this.request(id, isRun), this.lock.value?.state === "stale")}${this.limit.note(holdings.length)}`}
      ${this.log.value && !isAll ? html`<p class="quiet">From the newest ${EVENTS} events of this lock; older ones are in
        <a href=${`/console/audit?lock=${this.name}`}>the audit log</a>.</p>`
      : html`<p><a href=${`/console/audit?lock=${this.name}`}>All events of this lock</a></p>`}
      ${freezes.length ? html`<h3>Freezes</h3><ul>${freezes.slice(0, FREEZES_SHOWN).map(freezing)}</ul>` : nothing}</section>`;
  }
}

define("page-lock", Lock);

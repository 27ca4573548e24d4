import { html, nothing, type TemplateResult } from "lit";
import { announce } from "../parts/announce";
import { define, PageComponent } from "../parts/component";
import { actor } from "../parts/names";
import { problem } from "../parts/problem";
import { place, replace } from "../parts/router";
import { stamp } from "../parts/stamp";
import { table } from "../parts/table";
import { address, call, Problem } from "../record/api";
import { overview } from "../record/overview";
import { pages } from "../record/pages";
import { events as stream } from "../record/sse";
import { EVENTS, isBad, OF_SPECIFICATION, subject, what, withOrigins, type Event } from "./audit-text";

const PAGE = 200;
/** The maximum number of events of one page. */
const MAX = 10_000;
/** The maximum number of events that a page keeps while it follows the log. */
const KEPT = 2_000;
const RETRY_MS = 2_000;
/** Events of other hosts may arrive with a time that is a little older. */
const OVERLAP_MS = 60_000;
const SINCE: Array<[string, string]> = [["", "the beginning"], ["15m", "15 minutes ago"], ["1h", "1 hour ago"], ["1d", "1 day ago"], ["7d", "7 days ago"]];
const UNITS: Record<string, number> = { m: 60, h: 3_600, d: 86_400 };

type Filter = { event: string; lock: string; request: string; since: string; local: boolean };
type Line = { key: number; event: Event };

/** A time, or an age such as 15m. */
function time(since: string): string | undefined {
  const age = /^(\d{1,6})([mhd])$/.exec(since);
  const at = age ? Date.now() - Number(age[1]) * UNITS[age[2]!]! * 1000 : Date.parse(since);
  return Number.isNaN(at) ? undefined : second(at);
}

const second = (ms: number) => new Date(ms).toISOString().slice(0, 19) + "Z";

class Audit extends PageComponent {
  private lines: Line[] = [];
  private count = 0;
  private limit = PAGE;
  private shown = PAGE;
  private isRead = false;
  private readAt = "";
  private isAll = true;
  private failure: unknown = null;
  private state: "" | "following" | "reconnecting" = "";
  private running: AbortController | null = null;
  private filter = "";
  private news = 0;
  private noted = 0;

  constructor() {
    super();
    this.observe(place, overview.connection);
  }

  private wasLost = false;

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.running?.abort();
    this.running = null;
    this.filter = "";
  }

  private get query(): Filter & { follow: boolean } {
    const query = place.value.query;
    return { event: query.get("event") ?? "", lock: query.get("lock") ?? "", request: query.get("request") ?? "", since: query.get("since") ?? "",
      local: query.get("local") === "true", follow: query.get("follow") !== "off" };
  }

  override willUpdate(): void {
    // A connection that fell silent is known here later than there.
    const isLost = overview.connection.value.state === "reconnecting";
    if (this.wasLost && !isLost && this.running) this.start();
    this.wasLost = isLost;
    const filter = JSON.stringify(this.query);
    if (filter !== this.filter) {
      this.filter = filter;
      this.limit = this.shown = PAGE;
      this.start();
    }
  }

  private start(): void {
    this.running?.abort();
    this.running = new AbortController();
    this.news = 0;
    void this.run(this.query, this.running.signal);
  }

  /** Reads the newest events, and then follows the log from there. */
  private async run(query: Filter & { follow: boolean }, signal: AbortSignal): Promise<void> {
    this.isRead = false;
    this.state = "";
    const filter = { lock_name: query.lock, request_id: query.request, since: time(query.since), local: query.local ? "true" as const : undefined };
    while (!signal.aborted) {
      try {
        const since = await this.read(query, filter, signal);
        if (!query.follow) return;
        await this.follow(query, { ...filter, since }, signal);
      } catch (e) {
        if (signal.aborted) return;
        this.failure = e;
        this.state = this.isRead ? "reconnecting" : "";
        this.requestUpdate();
        if (e instanceof Problem && e.status >= 400 && e.status < 500 && e.status !== 429) return;
      }
      await pause(RETRY_MS, signal);
    }
  }

  /** The time from which the log is followed: events since then are known by their text. */
  private async read(query: Filter, filter: object, signal: AbortSignal): Promise<string> {
    // The origin of an event of the specification is in an event of its own.
    const wanted = query.event ? [query.event, ...(OF_SPECIFICATION.includes(query.event) ? ["lock_actor"] : [])] : [undefined];
    const answers = await Promise.all(wanted.map((event) => pages(this.limit, MAX,
      (limit, cursor) => call("GET /audit", { query: { ...filter, event, limit, cursor }, signal }), (page) => page.events.length)));
    const [events, origins] = answers.map((answer) => answer.pages.reverse().flatMap((page) => page.events as Event[])) as [Event[], Event[]?];
    this.isAll = !answers[0]!.hasMore;
    const all = origins ? merged(events, origins) : events;
    this.lines = [];
    this.known = new Map();
    const newest = events.at(-1)?.timestamp;
    const since = newest ? second(Date.parse(newest) - OVERLAP_MS) : second(Date.now() - OVERLAP_MS);
    for (const event of all) {
      if (event.timestamp >= since) this.known.set(text(event), (this.known.get(text(event)) ?? 0) + 1);
    }
    this.oldest = this.isAll ? "" : events[0]?.timestamp ?? "";
    this.add(withOrigins(all).filter((it) => !query.event || it.event === query.event));
    this.isRead = true;
    this.readAt = second(Date.now());
    this.failure = null;
    this.requestUpdate();
    return since;
  }

  private known = new Map<string, number>();
  private oldest = "";

  private async follow(query: Filter, filter: object, signal: AbortSignal): Promise<void> {
    this.state = "following";
    this.requestUpdate();
    const isJoined = OF_SPECIFICATION.includes(query.event);
    const url = address("GET /audit/stream", { query: { ...filter, event: isJoined ? undefined : query.event } });
    for await (const message of stream(url, signal)) {
      const event = JSON.parse(message.data) as Event;
      const known = this.known.get(text(event)) ?? 0;
      if (known > 0) {
        this.known.set(text(event), known - 1);
        continue;
      }
      if (event.timestamp < this.oldest || (isJoined && event.event !== query.event && event.event !== "lock_actor")) continue;
      if (event.event === "lock_actor" && query.event !== "lock_actor" && this.join(event)) continue;
      if (query.event && event.event !== query.event) continue;
      this.add([event]);
      this.news++;
      this.announce();
      this.requestUpdate();
    }
    if (!signal.aborted) throw new Error("The connection ended.");
  }

  /** The origin of one of the newest events. */
  private join(actor: Event): boolean {
    const newest = this.lines.slice(0, 20);
    const i = newest.findIndex((it) => it.event.event === actor.of && it.event.request_id === actor.request_id
      && it.event.lock_name === actor.lock_name && it.event.actor === undefined);
    if (i < 0) return false;
    const [event] = withOrigins([newest[i]!.event, actor]);
    this.lines = this.lines.with(i, { ...newest[i]!, event: event! });
    this.requestUpdate();
    return true;
  }

  /** Adds events, oldest first; the newest is shown first. */
  private add(events: Event[]): void {
    const lines = events.map((event) => ({ key: this.count++, event })).reverse();
    this.lines = [...lines, ...this.lines];
    if (this.lines.length > Math.max(KEPT, this.limit)) {
      this.lines.length = Math.max(KEPT, this.limit);
      this.isAll = false;
    }
  }

  /** A screen reader hears at most one sentence in ten seconds. */
  private announce(): void {
    if (Date.now() - this.noted < 10_000) return;
    this.noted = Date.now();
    announce(this.news === 1 ? "1 new event." : `${this.news} new events.`);
    this.news = 0;
  }

  override render(): TemplateResult {
    const query = this.query;
    const set = (name: string) => (event: Event_) => {
      const input = event.target as HTMLInputElement;
      replace({ [name]: input.type === "checkbox" ? (input.checked ? "true" : "") : input.value.trim() });
    };
    const isKnown = !query.event || EVENTS.some(([, names]) => names.includes(query.event));
    const isOffered = SINCE.some(([value]) => value === query.since);
    return html`<h1>Audit</h1>
      <form class="filters" role="search" aria-label="Events" @submit=${(event: Event_) => event.preventDefault()}>
        <label for="audit-event">Event</label> <select id="audit-event" name="event" @change=${set("event")}><option value="" ?selected=${!query.event}>all</option>
          ${isKnown ? nothing : html`<option selected>${query.event}</option>`}
          ${EVENTS.map(([group, names]) => html`<optgroup label=${group}>${names.map((name) => html`<option ?selected=${name === query.event}>${name}</option>`)}</optgroup>`)}</select>
        <label>Lock <input name="lock" type="search" .value=${query.lock} autocomplete="off" @change=${set("lock")}></label>
        <label>Request <input name="request" type="search" .value=${query.request} autocomplete="off" @change=${set("request")}></label>
        <label for="audit-since">Since</label> <select id="audit-since" name="since" @change=${set("since")}>${SINCE.map(([value, name]) => html`<option value=${value} ?selected=${value === query.since}>${name}</option>`)}
          ${isOffered ? nothing : html`<option value=${query.since} selected>${query.since}</option>`}</select>
        <label class="check"><input name="local" type="checkbox" .checked=${query.local} @change=${set("local")}> This host only</label>
        <label class="check"><input name="follow" type="checkbox" .checked=${query.follow}
          @change=${(event: Event_) => replace({ follow: (event.target as HTMLInputElement).checked ? "" : "off" })}> Follow</label>
      </form>
      ${query.since && !time(query.since) ? html`<p class="problem" role="alert">“${query.since}” is not a time. Use one such as 2026-01-31T08:00:00Z, or an age such as 30m, 4h or 2d.</p>` : nothing}
      ${problem(this.failure)}
      <p class="quiet">${!this.isRead ? (this.failure ? "" : "Reading the log") : this.state === "following" && !this.wasLost ? "Following: new events appear at the top."
        : this.state ? "Not following: reconnecting." : html`As of ${stamp(this.readAt)}; not following.`}</p>
      ${this.isRead ? this.table(query) : nothing}`;
  }

  private table(query: Filter): TemplateResult {
    if (this.lines.length === 0) {
      return query.event || query.lock || query.request || query.since || query.local
        ? html`<p class="empty">No event matches. <a href="/console/audit">Show all</a></p>`
        : html`<p class="empty">No events yet. Each lock, run, refusal and change of a token is recorded here, with who did it, and through which door.</p>`;
    }
    const lines = this.lines.slice(0, this.shown);
    return html`${table({ caption: "Events, newest first", isCaptionUnseen: true, rows: lines, key: (it) => String(it.key), columns: [
        { name: "Time", kind: "short", cell: ({ event }) => stamp(event.timestamp) },
        { name: "Event", kind: "short", cell: ({ event }) => html`<span class=${isBad(event) ? "status bad" : ""}>${event.event.replaceAll("_", " ")}</span>` },
        { name: "About", cell: ({ event }) => subject(event) },
        { name: "Who", kind: "short", cell: ({ event }) => (event.actor ? html`${actor(event.actor, event.on_behalf_of)}${event.host_id ? html`<small class="under">on ${event.host_id}</small>` : nothing}` : "") },
        { name: "Door", kind: "short", cell: ({ event }) => event.door ?? "" },
        { name: "What", cell: ({ event }) => html`${what(event)}${event.previous_lock_hash ? html`<small class="under">previous lock <code>${event.previous_lock_hash}</code></small>` : nothing}` },
      ] })}
      ${this.lines.length > lines.length || !this.isAll
        ? html`<p>The newest ${lines.length.toLocaleString("en")} events; narrow the filter, or
          <button type="button" @click=${() => this.more()}>Show more</button></p>`
        : html`<p class="quiet">All events that match.</p>`}`;
  }

  private more(): void {
    this.shown += PAGE;
    if (this.shown > this.lines.length && !this.isAll) {
      this.limit = Math.max(this.shown, this.limit * 2);
      this.start();
    }
    this.requestUpdate();
  }
}

type Event_ = globalThis.Event;

/** The same for one event, however its members are ordered. */
function text(event: Event): string {
  return JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Both lists in the order of time; an origin after its event. */
function merged(events: Event[], origins: Event[]): Event[] {
  return [...events, ...origins].map((event, i) => ({ event, i }))
    .sort((a, b) => (a.event.timestamp === b.event.timestamp ? a.i - b.i : a.event.timestamp < b.event.timestamp ? -1 : 1)).map((it) => it.event);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}

define("page-audit", Audit);

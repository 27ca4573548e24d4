// The output of a run: one step at a time, a window of lines at a time, followed while it grows.
import { html, nothing, type PropertyValues, type TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { announce } from "../parts/announce";
import { Component, define } from "../parts/component";
import { problem } from "../parts/problem";
import { place, replace } from "../parts/router";
import { status } from "../parts/status";
import { address, Problem, send } from "../record/api";
import { overview } from "../record/overview";
import { isFinished, type LiveRun, type Run, type Step } from "./live-run";
import { OutputSearch } from "./output-search";
import { type Line, OutputWindow } from "./output-window";
import { bytes, stepName, steps } from "./run-text";

/** More lines are read when the reader is this close to an edge of the window, in pixels. */
const NEAR = 600;
const AT_EDGE = 4;
const BETWEEN_NOTES_MS = 5_000;
const BETWEEN_FAILURES_MS = 2_000;
const WRAP = "tower.wrap";

class RunOutput extends Component {
  static override properties = { live: { attribute: false }, run: { attribute: false } };
  declare live: LiveRun;
  declare run: Run;
  private window: OutputWindow | null = null;
  private search: OutputSearch | null = null;
  private isSearching = false;
  private isDownloading = false;
  private isFollowing = false;
  /** Whether the output is followed: until the reader scrolls up, and again from the end on. */
  private isPaused = false;
  /** Whether the reader chose the step, so that the next step does not replace it. */
  private isChosen = false;
  private isWrapped = localStorage.getItem(WRAP) !== "off";
  private marked: number | null = null;
  private failure: unknown = null;
  private failedAt = 0;
  private work: Promise<void> = Promise.resolve();
  private isBusy = false;
  private lastTop = 0;
  private newLines = 0;
  private areLinesSkipped = false;
  private note: ReturnType<typeof setTimeout> | undefined;
  /** Stops listening to the sizes of the run's output. */
  private silence: () => void = () => {};

  constructor() {
    super();
    this.watch(place, () => this.obeyAddress());
    this.watch(overview.connection, () => { if (overview.connection.value.state === "live") this.retry(); });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.live) this.listen();
  }

  /** What could not be read because the connection was lost is read when it is back. */
  private retry(): void {
    if (this.failure && this.window) this.open(this.window.log, this.marked);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.silence();
    clearTimeout(this.note);
    this.note = undefined;
  }

  private listen(): void {
    this.silence();
    this.silence = this.live.sizes.observe(() => {
      this.requestUpdate();
      if (!this.advance()) this.catchUp();
    });
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has("live")) {
      this.listen();
      this.window = null;
      this.search = null;
      this.isChosen = false;
    }
    if (!changed.has("run")) return;
    const logs = this.logs();
    if (this.window === null) {
      if (logs.length > 0 && !this.obeyAddress()) this.open(this.first(), null);
    } else if (!this.advance()) {
      this.catchUp();
    }
  }

  /** A reader who follows one step follows the next one as soon as it writes something. */
  private advance(): boolean {
    const last = this.logs().at(-1)?.log;
    if (!this.window || !last || this.isChosen || !this.isFollowing || last === this.window.log || !this.isDone(this.window.log)
        || !this.live.sizes.value.get(last)) return false;
    this.open(last, null);
    return true;
  }

  private logs(): Step[] {
    return steps(this.run).filter((it) => it.log);
  }

  private first(): string {
    const failed = isFinished(this.run) ? this.run.steps.find((it) => it.name === this.run.failure_step)?.log : undefined;
    return failed ?? (this.logs().findLast((it) => it.output_tail) ?? this.logs().at(-1)!).log!;
  }

  private isDone(log: string): boolean {
    return isFinished(this.run) || steps(this.run).find((it) => it.log === log)?.status !== "running";
  }

  private get size(): number {
    return Math.max(this.window?.size ?? 0, this.live.sizes.value.get(this.window?.log ?? "") ?? 0);
  }

  /** Whether the window shows the end, as far as the page knows. */
  private get isAtEnd(): boolean {
    return this.window!.isAtEnd && this.size <= this.window!.size;
  }

  /** Shows the step, or the line, that the address names; false if it names none. */
  private obeyAddress(): boolean {
    if (!this.run) return false;
    const [log, offset] = decodeURIComponent(place.value.hash).split("@");
    if (!log || !this.logs().some((it) => it.log === log)) return false;
    const position = offset && /^\d+$/.test(offset) ? Number(offset) : null;
    if (this.window?.log === log && position === this.marked) return true;
    this.isChosen = true;
    if (this.window?.log === log && position !== null) void this.jump(position);
    else this.open(log, position);
    return true;
  }

  /** Shows a step from its end, or around a line. */
  private open(log: string, position: number | null): void {
    const window = new OutputWindow(this.run.request_id, log);
    this.window = window;
    this.search = null;
    this.marked = position;
    this.isFollowing = position === null && !this.isDone(log);
    this.isPaused = false;
    this.requestUpdate();
    this.perform(async () => {
      await (position === null ? window.tail() : window.around(position));
      await this.drawn();
      if (position === null) this.toEnd(); else this.toMark();
    });
  }

  private choose(log: string): void {
    this.isChosen = true;
    replace({}, encodeURIComponent(log));
    if (this.window?.log !== log) this.open(log, null);
  }

  /** One reading at a time, in order. */
  private perform(task: () => Promise<void>): Promise<void> {
    this.work = this.work.then(async () => {
      this.isBusy = true;
      try {
        await task();
        this.failure = null;
      } catch (e) {
        this.failure = e;
        this.failedAt = performance.now();
      }
      this.isBusy = false;
      this.requestUpdate();
    });
    return this.work;
  }

  private async drawn(): Promise<void> {
    this.requestUpdate();
    await this.updateComplete;
  }

  /** Follows the output: what was written while a reading was under way is read next, and a burst is skipped. */
  private catchUp(): void {
    const window = this.window;
    if (!window || !this.isFollowing || this.isBusy || !this.isBehind(window)) return;
    if (this.failure && performance.now() - this.failedAt < BETWEEN_FAILURES_MS) return;
    void this.perform(async () => {
      const added = await window.catchUp(this.live.sizes.value.get(window.log) ?? 0);
      if (window !== this.window) return;
      this.count(added.lines, added.isSkipped);
      await this.drawn();
      if (this.isFollowing) this.toEnd();
    }).then(() => { if (!this.failure) this.catchUp(); });
  }

  private isBehind(window: OutputWindow): boolean {
    return this.size > window.size || (window.next < window.size && !window.isAtEnd)
      || (!window.isComplete && this.isDone(window.log));
  }

  private count(lines: number, isSkipped: boolean): void {
    this.newLines += lines;
    this.areLinesSkipped ||= isSkipped;
    if (this.newLines === 0) return;
    this.note ??= setTimeout(() => {
      announce(`${this.areLinesSkipped ? "more than " : ""}${this.newLines} new ${this.newLines === 1 ? "line" : "lines"}`);
      this.note = undefined;
      this.newLines = 0;
      this.areLinesSkipped = false;
    }, BETWEEN_NOTES_MS);
  }

  private get box(): HTMLElement | null {
    return this.querySelector<HTMLElement>("[role=log]");
  }

  private lineAt(offset: number): HTMLElement | null {
    return this.querySelector<HTMLElement>(`[data-at="${offset}"]`);
  }

  private toEnd(): void {
    const box = this.box;
    if (!box) return;
    box.scrollTop = box.scrollHeight;
    this.lastTop = box.scrollTop;
  }

  private toMark(): void {
    const box = this.box;
    // A position within a line means the line.
    const at = this.marked === null ? undefined : this.window?.lines.findLast((it) => it.offset <= this.marked!)?.offset;
    const line = at === undefined ? null : this.lineAt(at);
    if (!box || !line) return;
    this.marked = at!;
    this.requestUpdate();
    box.scrollTop = line.offsetTop - box.clientHeight / 3;
    this.lastTop = box.scrollTop;
  }

  /** The first line that can be seen. */
  private topLine(): HTMLElement | null {
    const box = this.box;
    const lines = box?.querySelectorAll<HTMLElement>(".line") ?? [];
    let low = 0;
    let high = lines.length - 1;
    while (box && low < high) {
      const middle = (low + high) >> 1;
      if (lines[middle]!.offsetTop + lines[middle]!.offsetHeight > box.scrollTop) high = middle; else low = middle + 1;
    }
    return lines[low] ?? null;
  }

  /** Changes the lines and leaves those that the reader sees where they are. */
  private async change(task: () => Promise<void>): Promise<void> {
    const box = this.box;
    await task();
    const top = this.topLine();
    const at = top?.dataset.at;
    const distance = box && top ? top.offsetTop - box.scrollTop : 0;
    await this.drawn();
    const line = at === undefined ? null : this.lineAt(Number(at));
    if (box && line) {
      box.scrollTop = line.offsetTop - distance;
      this.lastTop = box.scrollTop;
    }
  }

  private scrolled(): void {
    const box = this.box;
    const window = this.window;
    if (!box || !window) return;
    const isUp = box.scrollTop < this.lastTop - 1;
    const below = box.scrollHeight - box.scrollTop - box.clientHeight;
    this.lastTop = box.scrollTop;
    if (isUp && this.isFollowing && below > AT_EDGE) {
      this.isFollowing = false;
      this.isPaused = true;
      this.requestUpdate();
    } else if (!isUp && this.isPaused && below <= AT_EDGE && window.isAtEnd) {
      this.follow();
    }
    if (this.isBusy || this.isFollowing) return;
    if (box.scrollTop < NEAR && window.begin > 0 && isUp) void this.older();
    else if (below < NEAR && !this.isAtEnd && !isUp) void this.newer();
  }

  private older(): Promise<void> {
    const window = this.window!;
    this.isPaused ||= this.isFollowing;
    this.isFollowing = false;
    return this.perform(() => this.change(() => window.older()));
  }

  private newer(): Promise<void> {
    const window = this.window!;
    return this.perform(() => this.change(() => window.newer()));
  }

  private begin(): void {
    const window = this.window!;
    this.isPaused ||= this.isFollowing;
    this.isFollowing = false;
    void this.perform(async () => {
      await window.head();
      await this.drawn();
      if (this.box) this.box.scrollTop = this.lastTop = 0;
    });
  }

  private end(): void {
    const window = this.window!;
    if (!this.isDone(window.log)) {
      this.follow();
      return;
    }
    void this.perform(async () => {
      if (!window.isAtEnd || !window.isComplete) await window.tail();
      await this.drawn();
      this.toEnd();
    });
  }

  private follow(): void {
    const window = this.window!;
    this.isFollowing = true;
    this.isPaused = false;
    void this.perform(async () => {
      if (!window.isAtEnd || this.isBehind(window)) await window.catchUp(this.size);
      await this.drawn();
      this.toEnd();
    }).then(() => this.catchUp());
  }

  private toggleFollow(): void {
    if (this.isFollowing) {
      this.isFollowing = false;
      this.isPaused = false;
      this.requestUpdate();
    } else {
      this.follow();
    }
  }

  private toggleWrap(): void {
    this.isWrapped = !this.isWrapped;
    if (this.isWrapped) localStorage.removeItem(WRAP); else localStorage.setItem(WRAP, "off");
    void this.change(async () => {}).then(() => { if (this.isFollowing) this.toEnd(); });
  }

  /** Marks a line and names it in the address. */
  private mark(offset: number): void {
    this.marked = offset;
    this.isPaused ||= this.isFollowing;
    this.isFollowing = false;
    replace({}, `${encodeURIComponent(this.window!.log)}@${offset}`);
    this.requestUpdate();
  }

  private async jump(offset: number): Promise<void> {
    const window = this.window!;
    this.mark(offset);
    await this.perform(async () => {
      if (!window.has(offset)) await window.around(offset);
      await this.drawn();
      this.toMark();
    });
  }

  private async find(direction: 1 | -1): Promise<void> {
    const form = this.querySelector("form")!;
    const text = form.querySelector<HTMLInputElement>("[name=text]")!.value;
    const isExact = form.querySelector<HTMLInputElement>("[name=case]")!.checked;
    const window = this.window;
    if (!window) return;
    if (!text) {
      this.search = null;
      this.isSearching = false;
      this.requestUpdate();
      return;
    }
    const isNew = !this.search?.is(window.log, text, isExact);
    if (!isNew && this.isSearching) return;
    if (isNew) this.search = new OutputSearch(this.run.request_id, window.log, text, isExact);
    const search = this.search!;
    const position = this.marked ?? Number(this.topLine()?.dataset.at ?? 0) - 1;
    if (isNew || (direction > 0 && (search.matches.at(-1) ?? -1) <= position)) {
      search.grow(this.size);
      await this.searchOn();
    }
    if (search !== this.search) return;
    const found = search.from(position, direction);
    if (found !== undefined) await this.jump(found);
  }

  private async searchOn(): Promise<void> {
    const search = this.search!;
    this.isSearching = true;
    this.requestUpdate();
    try {
      await search.more(() => {
        this.requestUpdate();
        return search === this.search && this.isConnected;
      });
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    if (search !== this.search) return;
    this.isSearching = false;
    this.requestUpdate();
  }

  private async download(log: string | undefined): Promise<void> {
    if (this.isDownloading) return;
    this.isDownloading = true;
    this.requestUpdate();
    try {
      const response = await send("GET", address("GET /runs/{id}/output/download", { path: { id: this.run.request_id }, query: { step: log } }));
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await response.blob());
      link.download = `${this.run.request_id}${log ? `-${log}` : ""}.log`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      this.failure = null;
    } catch (e) {
      this.failure = e;
    }
    this.isDownloading = false;
    this.requestUpdate();
  }

  private tabKey(event: KeyboardEvent): void {
    const tabs = this.logs().map((it) => it.log!);
    const at = tabs.indexOf(this.window?.log ?? "");
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(tabs[(next + tabs.length) % tabs.length]!);
    void this.updateComplete.then(() => this.querySelector<HTMLElement>("[role=tab][aria-selected=true]")?.focus());
  }

  private logKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.window) return;
    switch (event.key) {
      case "Home": this.begin(); break;
      case "End": this.end(); break;
      case "j": this.markNeighbour(1); break;
      case "k": this.markNeighbour(-1); break;
      default: return;
    }
    event.preventDefault();
  }

  private markNeighbour(direction: 1 | -1): void {
    const lines = this.window!.lines;
    const at = lines.findIndex((it) => it.offset === this.marked);
    const next = at < 0 ? lines.find((it) => it.offset === Number(this.topLine()?.dataset.at)) : lines[at + direction];
    if (!next) return;
    this.mark(next.offset);
    void this.updateComplete.then(() => this.lineAt(next.offset)?.scrollIntoView({ block: "nearest" }));
  }

  override render(): TemplateResult {
    const window = this.window;
    if (!this.run || !window) {
      return html`<p class="empty">No output: ${this.run?.status === "waiting" ? "no step has begun yet" : "no step has begun"}.</p>`;
    }
    const logs = this.logs();
    const isLive = !this.isDone(window.log);
    return html`
      <div class="tabs" role="tablist" aria-label="Steps" @keydown=${this.tabKey}>${repeat(logs, (it) => it.log, (it) => html`
        <button type="button" role="tab" id="tab-${it.log}" aria-selected=${it.log === window.log ? "true" : "false"} aria-controls="output-of-step"
          tabindex=${it.log === window.log ? 0 : -1} @click=${() => this.choose(it.log!)}>${stepName(this.run, it)} ${status(it.status)}</button>`)}</div>
      <div role="tabpanel" id="output-of-step" aria-labelledby="tab-${window.log}">
        ${this.tools(window, logs.length, isLive)}
        ${this.failure && !(this.failure instanceof Problem && this.failure.status === 0) ? html`${problem(this.failure)}<p><button type="button" @click=${this.retry}>Try again</button></p>` : nothing}
        <div class="log-frame">
          <div role="log" aria-live="off" aria-label="Output of step ${window.log}" tabindex="0" class="log ${this.isWrapped ? "wrapped" : ""}"
            aria-keyshortcuts="Home End j k" @scroll=${this.scrolled} @keydown=${this.logKey} @click=${this.clicked}>${
            guard([window.lines, this.marked, this.search], () => repeat(window.lines, (it) => it.offset, (it) => this.line(it)))}</div>
          ${isLive && !this.isFollowing ? html`<button type="button" class="resume primary" @click=${this.follow}>Resume · ${
            bytes(Math.max(0, this.size - window.next))} new</button>` : nothing}
        </div>
        ${window.note ? html`<p class="log-foot bad" role="note">${window.note}</p>` : nothing}
        <p class="log-foot quiet">${this.extent(window, isLive)}</p>
      </div>`;
  }

  private tools(window: OutputWindow, logs: number, isLive: boolean): TemplateResult {
    const isAtBegin = window.begin === 0;
    const button = (label: string, isOff: boolean, perform: () => unknown) => html`<button type="button"
      aria-disabled=${isOff ? "true" : "false"} @click=${() => { if (!isOff) perform(); }}>${label}</button>`;
    return html`<div class="log-tools">
      <form role="search" aria-label="Search the output" @submit=${(event: Event) => {
        event.preventDefault();
        void this.find(1);
      }}>
        <label><span class="unseen">Text</span><input type="search" name="text" placeholder="Search the output" maxlength="1000" autocomplete="off"
          spellcheck="false" @keydown=${(event: KeyboardEvent) => {
            if (event.key === "Enter" && event.shiftKey) {
              event.preventDefault();
              void this.find(-1);
            }
          }} @search=${(event: Event) => { if (!(event.target as HTMLInputElement).value) void this.find(1); }}></label>
        <label class="check"><input type="checkbox" name="case">Match case</label>
        <button>Next</button><button type="button" @click=${() => this.find(-1)}>Previous</button>
        <span role="status">${this.isSearching ? "searching" : this.search?.words(this.marked) ?? ""}</span>
        ${this.isSearching ? html`<span class="quiet">${this.search?.words(null)}</span>` : nothing}
        ${this.search && this.search.next !== null && !this.isSearching ? html`<button type="button" @click=${() => this.find(1)}>Search on</button>` : nothing}
      </form>
      <div class="log-buttons" role="group" aria-label="Output">
        ${button("Begin", isAtBegin, () => this.begin())}${button("Older", isAtBegin, () => this.older())}
        ${button("Newer", this.isFollowing || this.isAtEnd, () => this.newer())}${button("End", false, () => this.end())}
        ${isLive ? html`<button type="button" aria-pressed=${this.isFollowing ? "true" : "false"} @click=${this.toggleFollow}>Follow</button>` : nothing}
        <button type="button" aria-pressed=${this.isWrapped ? "true" : "false"} @click=${this.toggleWrap}>Wrap</button>
        <button type="button" ?disabled=${this.isDownloading} @click=${() => this.download(window.log)}>Download ${this.size > 0 ? html`<small>${bytes(this.size)}</small>` : nothing}</button>
        ${logs > 1 ? html`<button type="button" ?disabled=${this.isDownloading} @click=${() => this.download(undefined)}>Download all steps</button>` : nothing}
      </div></div>`;
  }

  private clicked(event: Event): void {
    const link = (event.target as Element).closest<HTMLElement>(".at");
    if (!link || (event as MouseEvent).ctrlKey || (event as MouseEvent).metaKey || (event as MouseEvent).shiftKey) return;
    event.preventDefault();
    this.mark(Number(link.parentElement!.dataset.at));
  }

  private line(line: Line): TemplateResult {
    const isMarked = line.offset === this.marked;
    return html`<div class=${isMarked ? "line marked" : "line"} data-at=${line.offset} aria-current=${isMarked ? "location" : nothing}><a class="at"
      href="#${encodeURIComponent(this.window!.log)}@${line.offset}" tabindex="-1" aria-hidden="true"></a><span>${this.text(line.text)}${
      line.cut ? html`<span class="cut" title="The line continues in the next row">↩</span>` : nothing}</span></div>`;
  }

  /** The text with the matches of the search marked. */
  private text(text: string): unknown {
    const search = this.search;
    if (!search) return text;
    const fold = (it: string) => search.isExact ? it : it.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    const folded = fold(text);
    const wanted = fold(search.text);
    const parts: unknown[] = [];
    let from = 0;
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, from)) {
      parts.push(text.slice(from, at), html`<mark>${text.slice(at, at + wanted.length)}</mark>`);
      from = at + wanted.length;
    }
    return from === 0 ? text : [...parts, text.slice(from)];
  }

  private extent(window: OutputWindow, isLive: boolean): string {
    if (!window.isRead) return this.failure ? "" : "Reading the output";
    if (this.size === 0 && window.note) return "";
    if (this.size === 0) return isLive ? "No output yet." : "The step wrote no output.";
    const part = window.begin === 0 && (this.isFollowing || this.isAtEnd) ? "all" : `bytes ${window.begin.toLocaleString("en")} to ${window.next.toLocaleString("en")}`;
    return `${window.lines.length.toLocaleString("en")} ${window.lines.length === 1 ? "line" : "lines"} shown, ${part} of ${bytes(this.size)}${
      window.isComplete ? "" : isLive ? !this.live.isLive.value ? "; not connected" : this.isFollowing ? "; following" : "; still growing" : ""}`;
  }
}

define("run-output", RunOutput);

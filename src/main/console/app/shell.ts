// The frame of every page: header, navigation, connection, login, and where the focus goes.
import { html, nothing, svg, type TemplateResult } from "lit";
import { announce, announcement } from "../parts/announce";
import { Component, define, type PageComponent } from "../parts/component";
import { moment } from "../parts/moment";
import { problem } from "../parts/problem";
import { arrive, followLinks, isReturn, place, scrollToPlace } from "../parts/router";
import { Problem } from "../record/api";
import type { Settings } from "../record/oidc";
import { overview } from "../record/overview";
import { session } from "../record/session";
import { colorChoice, useColors } from "./colors";
import { listenToKeys, showKeys } from "./keys";
import { pages, type Page } from "./pages";
import { enter, enterIssued } from "./sign-in";

const RETRY_MS = 1_000;
const NAVIGATION: Array<[string, string]> = [["Now", ""], ["Runs", "runs"], ["Approvals", "approvals"], ["Locks", "locks"], ["Intents", "intents"],
  ["Tasks", "tasks"], ["Mailboxes", "mailboxes"], ["Audit", "audit"], ["Hosts", "hosts"]];
const MARK = svg`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M5 1h6l2 4h-2l1 10H4L5 5H3zm2 2v2h2V3zM6.9 7l-.4 6h3l-.4-6z"/></svg>`;

class App extends Component {
  private shown: { path: string; element: PageComponent } | null = null;
  /** The address whose page is being loaded. */
  private loading = "";
  private failure: unknown = null;
  private settings: Settings | null = null;
  private isEntering = false;
  private isSettingsRead = false;
  private wasLost = false;
  private wasAtLogin = false;
  /** The version of the service that served this page, as far as it is known. */
  private version = "";

  constructor() {
    super();
    this.observe(place, session.caller, session.refusal, overview.connection, overview.problem, overview.state, announcement);
    useColors();
    listenToKeys();
    followLinks(this);
    session.caller.observe(() => { if (session.caller.value) overview.start(); else this.leave(); });
    overview.connection.observe(() => this.announceConnection());
    void this.begin();
  }

  private async begin(): Promise<void> {
    if (isReturn()) {
      await this.entering(async () => {
        const { tokens } = await (await import("../record/oidc")).end();
        await enterIssued(tokens);
      });
      arrive();
    }
    // An unrequested return from the issuer does not end a session.
    if (session.token && !session.caller.value) {
      const failure = this.failure;
      await this.entering(() => this.enterAgain());
      if (!session.caller.value) this.failure ??= failure;
    }
  }

  /** Waits for an unreachable service, so that a page that is reloaded during a restart recovers on its own. */
  private async enterAgain(): Promise<void> {
    for (;;) {
      try {
        return await enter(session.token);
      } catch (e) {
        if (!(e instanceof Problem) || (e.status !== 0 && e.status !== 503)) throw e;
        this.failure = e;
        this.requestUpdate();
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  private async entering(enter: () => Promise<void>): Promise<void> {
    this.isEntering = true;
    this.failure = null;
    this.requestUpdate();
    try {
      await enter();
    } catch (e) {
      this.failure = e;
    }
    this.isEntering = false;
    this.requestUpdate();
  }

  private leave(): void {
    overview.stop();
    this.shown = null;
    this.loading = "";
  }


  private announceConnection(): void {
    const isLost = overview.connection.value.state === "reconnecting";
    if (isLost !== this.wasLost && session.caller.value) announce(isLost ? "Connection lost. Reconnecting." : "Connected again.");
    this.wasLost = isLost;
  }

  override render(): TemplateResult {
    const caller = session.caller.value;
    const isLost = caller !== null && overview.connection.value.state === "reconnecting";
    this.classList.toggle("is-lost", isLost);
    if (!this.version) this.version = overview.state.value?.version ?? "";
    return html`
      <a class="skip" href="#main" @click=${(event: Event) => { event.preventDefault(); this.focusContent(); }}>Skip to the content</a>
      <div class="top">
        <header class="bar">
          <a class="brand" href="/console/">${MARK}Tower</a>
          <nav aria-label="Pages"><ul>${NAVIGATION.map(([name, path]) => html`<li><a href="/console/${path}"
            aria-current=${this.isAt(path) ? "page" : nothing}>${name}</a></li>`)}</ul></nav>
          <div class="tools">
            ${caller ? html`${this.connection()}
              <p class="caller">${caller.name}, ${caller.role}${caller.on_behalf_of ? ` for ${caller.on_behalf_of}` : ""}</p>
              <button type="button" @click=${() => session.leave()}>Sign out</button>` : nothing}
            ${colorChoice()}
            <button type="button" aria-label="Keyboard shortcuts" title="Keyboard shortcuts" @click=${showKeys}>?</button>
          </div>
          <p class="unseen" role="status">${announcement.value}</p>
        </header>
        ${caller ? this.banners(isLost) : nothing}
      </div>
      <main id="main" tabindex="-1">${caller ? this.page() : this.login()}</main>`;
  }

  /** A login form that appears is ready for input. */
  protected override updated(): void {
    const box = this.querySelector<HTMLInputElement>("main input[name=token]");
    if (box && !this.wasAtLogin) box.focus();
    if (box) this.wasAtLogin = true;
  }

  private isAt(path: string): boolean {
    return place.value.path.slice("/console/".length).split("/")[0] === path;
  }

  private connection(): TemplateResult {
    const asOf = overview.state.value?.as_of;
    const time = asOf ? html` · as of ${moment(asOf, "clock")}` : nothing;
    switch (overview.connection.value.state) {
      case "connecting": return html`<p class="connection">connecting</p>`;
      case "live": return html`<p class="connection is-live">live${time}</p>`;
      case "reconnecting": return html`<p class="connection is-lost">reconnecting${time}</p>`;
    }
  }

  private banners(isLost: boolean): TemplateResult | typeof nothing {
    const state = overview.state.value;
    const connection = overview.connection.value;
    const isUpdated = state !== null && this.version !== "" && state.version !== this.version;
    if (!isLost && !overview.problem.value && !isUpdated) return nothing;
    return html`<section class="banners" aria-label="Notices">
      ${isLost ? html`<p class="banner is-lost"><span>Reconnecting. ${state
        ? html`This page shows the state as of ${moment(state.as_of, "clock")}; it may be out of date.` : nothing}
        ${connection.state === "reconnecting" ? connection.problem : nothing}</span></p>` : nothing}
      ${overview.problem.value ? html`<p class="banner">Part of the state cannot be read: ${overview.problem.value}</p>` : nothing}
      ${isUpdated ? html`<p class="banner">The service has a new version, ${state.version}.
        <button type="button" @click=${() => location.reload()}>Reload the page</button></p>` : nothing}
    </section>`;
  }

  private page(): TemplateResult {
    const path = place.value.path;
    if (this.shown?.path === path) return html`${this.shown.element}`;
    const page = pages.find((it) => it.pattern.test(path));
    const name = page ? decoded(page.pattern.exec(path)?.groups?.name ?? "") : null;
    if (!page || name === null) {
      this.shown = null;
      this.loading = "";
      this.entitle("No such page");
      return html`<h1>No such page</h1><p><code>${path}</code> is not the address of a page. The pages are:</p>
        <ul class="links">${NAVIGATION.map(([it, to]) => html`<li><a href="/console/${to}">${it}</a></li>`)}</ul>`;
    }
    if (this.loading !== path) void this.load(path, page, name);
    // The last page stays until the next one is there.
    return this.failure ? html`<h1>${page.title}</h1>${problem("This page cannot be loaded; the service may have been updated, or may be unavailable.")}
      <p><button type="button" class="primary" @click=${() => location.reload()}>Reload</button></p>` : html`${this.shown?.element}`;
  }

  private async load(path: string, page: Page, name: string): Promise<void> {
    // On the first page, the focus is left to the browser.
    const isStep = this.shown !== null || this.wasAtLogin;
    this.wasAtLogin = false;
    this.loading = path;
    this.failure = null;
    try {
      await page.load();
    } catch (e) {
      this.failure = e;
      this.requestUpdate();
      return;
    }
    if (place.value.path !== path || !session.caller.value) return;
    const element = document.createElement(page.element) as PageComponent;
    element.name = name;
    this.shown = { path, element };
    this.loading = "";
    this.entitle(...(name ? [name, page.title] : [page.title]));
    this.requestUpdate();
    await this.updateComplete;
    await element.updateComplete;
    if (isStep) this.begins();
  }

  private entitle(...names: string[]): void {
    document.title = [...names, "Tower Executor"].join(" · ");
  }

  /** After a step to another page, the reader begins at its heading. */
  private begins(): void {
    if (!place.value.hash) scrollToPlace();
    this.focusContent();
  }

  private focusContent(): void {
    const heading = this.querySelector<HTMLElement>("main h1");
    if (heading) heading.tabIndex = -1;
    (heading ?? this.querySelector<HTMLElement>("main"))?.focus({ preventScroll: true });
  }

  private login(): TemplateResult {
    this.entitle("Sign in");
    if (this.isEntering) return html`<p role="status">Signing in</p>${problem(this.failure)}`;
    this.readSettings();
    const goal = place.value.path === "/console/" ? nothing : html`<p class="quiet">Then you see <code>${place.value.path}</code>.</p>`;
    return html`<div class="sign-in"><h1>Sign in</h1>
      ${goal}
      ${session.refusal.value ? problem(session.refusal.value) : problem(this.failure)}
      ${this.settings?.issuer ? html`<p><button type="button" class="primary" @click=${() => void this.entering(async () =>
        (await import("../record/oidc")).begin(this.settings!))}>Sign in at ${new URL(this.settings.issuer).host}</button></p>
        <p class="quiet">or with a token:</p>` : nothing}
      <form @submit=${(event: SubmitEvent) => {
        event.preventDefault();
        const token = String(new FormData(event.target as HTMLFormElement).get("token"));
        void this.entering(() => enter(token));
      }}>
        <label>Token <input name="token" type="password" required autocomplete="off" spellcheck="false"></label>
        <p><button class=${this.settings?.issuer ? "" : "primary"}>Sign in</button></p>
      </form>
      <p class="quiet">A token stays in this tab only. Create one on the service's host:
        <code>tower token create NAME --role viewer</code></p></div>`;
  }

  private readSettings(): void {
    if (this.isSettingsRead) return;
    this.isSettingsRead = true;
    import("../record/oidc").then(({ settings }) => settings()).then((it) => {
      this.settings = it;
      this.version = it.version;
      this.requestUpdate();
    }, () => { this.isSettingsRead = false; });
  }
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

define("tower-app", App);

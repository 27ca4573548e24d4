// The frame of every page: header, navigation, connection, login.
import { html, nothing, type TemplateResult } from "lit";
import { unsafeStatic, html as staticHtml } from "lit/static-html.js";
import { Component, define } from "../parts/component";
import { moment } from "../parts/moment";
import { problem } from "../parts/problem";
import { overview } from "../record/overview";
import { followLinks, pages, place, type Page } from "./router";
import { session } from "./session";

const NAVIGATION: Array<[string, string]> = [["Now", ""], ["Runs", "runs"], ["Locks", "locks"], ["Intents", "intents"],
  ["Tasks", "tasks"], ["Mailboxes", "mailboxes"], ["Audit", "audit"], ["Hosts", "hosts"]];

class App extends Component {
  private loaded: Page | null = null;
  private failure: unknown = null;
  private isEntering = false;

  constructor() {
    super();
    this.observe(place, session.caller, session.refusal, overview.connection, overview.problem);
    followLinks(this);
    if (session.token) void this.enter(session.token);
    session.caller.observe(() => { if (session.caller.value) overview.start(); else overview.stop(); });
  }

  private async enter(token: string): Promise<void> {
    this.isEntering = true;
    this.failure = null;
    this.requestUpdate();
    try {
      await session.enter(token);
    } catch (e) {
      this.failure = e;
    }
    this.isEntering = false;
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const page = pages.find((it) => it.pattern.test(place.value.path));
    return html`
      <a class="skip" href="#main">Skip to the content</a>
      <header>
        <a class="brand" href="/console/">Tower</a>
        <nav aria-label="Pages"><ul>${NAVIGATION.map(([name, path]) => html`<li><a href="/console/${path}"
          aria-current=${this.isAt(path) ? "page" : nothing}>${name}</a></li>`)}</ul></nav>
        <p class="connection" role="status">${this.connection()}</p>
        ${session.caller.value ? html`<p class="caller">${session.caller.value.name}, ${session.caller.value.role}
          <button type="button" @click=${() => session.leave()}>Sign out</button></p>` : nothing}
      </header>
      <main id="main" tabindex="-1">${session.caller.value ? this.page(page) : this.login()}</main>`;
  }

  private isAt(path: string): boolean {
    const own = place.value.path.slice("/console/".length);
    return own.split("/")[0] === path;
  }

  private connection(): TemplateResult | string {
    if (!session.caller.value) return "";
    const connection = overview.connection.value;
    const asOf = overview.state.value?.as_of;
    switch (connection.state) {
      case "connecting": return "connecting";
      case "live": return overview.problem.value ? html`<strong>${overview.problem.value}</strong>` : "live";
      case "reconnecting": return html`<strong>reconnecting</strong>${asOf ? html` · as of ${moment(asOf, "clock")}` : ""}`;
    }
  }

  private page(page: Page | undefined): TemplateResult {
    if (!page) return html`<h1>No such page</h1><p>Go to <a href="/console/">what happens now</a>.</p>`;
    document.title = `${page.title} · Tower Executor`;
    if (this.loaded !== page) {
      page.load().then(() => { this.loaded = page; this.requestUpdate(); }, (e) => { this.failure = e; this.requestUpdate(); });
      return html`${problem(this.failure)}`;
    }
    const name = decodeURIComponent(page.pattern.exec(place.value.path)?.groups?.name ?? "");
    return staticHtml`<${unsafeStatic(page.element)} .name=${name}></${unsafeStatic(page.element)}>` as TemplateResult;
  }

  private login(): TemplateResult {
    if (this.isEntering) return html`<p>Signing in</p>`;
    return html`<h1>Sign in</h1>
      <form @submit=${(event: SubmitEvent) => {
        event.preventDefault();
        void this.enter(String(new FormData(event.target as HTMLFormElement).get("token")));
      }}>
        <label>Token <input name="token" type="password" required autocomplete="off"></label>
        <button class="primary">Sign in</button>
        ${session.refusal.value ? problem(session.refusal.value) : problem(this.failure)}
        <p>A token stays in this tab only. Create one on the service's host:
          <code>tower token create NAME --role viewer</code></p>
      </form>`;
  }
}

define("tower-app", App);

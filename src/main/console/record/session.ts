// Who uses this tab: the token, kept in sessionStorage only, and the caller that it identifies.
import type { Schemas } from "../../../../target/console/api";
import type { Tokens } from "./oidc";
import { Signal } from "./signal";

export type Role = "viewer" | "agent" | "operator";
type Caller = Schemas["Caller"];
const TOKEN = "tower.token";
/** The tokens of an issuer, if this tab signed in there. */
const ISSUED = "tower.issued";
const ROLES: Role[] = ["viewer", "agent", "operator"];
/** How long before its expiry a token is renewed. */
const EARLY_MS = 60_000;
const SHORTEST_MS = 10_000;

class Session {
  readonly caller = new Signal<Caller | null>(null);
  /** Why the last token was refused. */
  readonly refusal = new Signal<string>("");
  private renewal: Promise<boolean> | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  get token(): string {
    return sessionStorage.getItem(TOKEN) ?? "";
  }

  /** Sends a token with each call from now on. */
  use(token: string): void {
    if (token !== this.token) sessionStorage.removeItem(ISSUED);
    sessionStorage.setItem(TOKEN, token.trim());
    this.refusal.value = "";
  }

  /** Sends the token of an issuer with each call from now on. */
  useIssued(tokens: Tokens): void {
    this.keep(tokens);
    this.refusal.value = "";
  }

  /** The service recognized the token. */
  begin(caller: Caller): void {
    this.caller.value = caller;
    this.renewInTime();
  }

  private keep(tokens: Tokens): void {
    sessionStorage.setItem(TOKEN, tokens.access);
    sessionStorage.setItem(ISSUED, JSON.stringify(tokens));
  }

  private issued(): Tokens | null {
    return JSON.parse(sessionStorage.getItem(ISSUED) ?? "null") as Tokens | null;
  }

  private renewInTime(): void {
    clearTimeout(this.timer);
    const tokens = this.issued();
    if (tokens?.refresh && tokens.expiresAt) {
      this.timer = setTimeout(() => void this.renew(), Math.max(SHORTEST_MS, tokens.expiresAt - Date.now() - EARLY_MS));
    }
  }

  /** Renews the token at its issuer; one renewal at a time. False if there is no way to do so. */
  renew(): Promise<boolean> {
    this.renewal ??= this.renewOnce().finally(() => { this.renewal = null; });
    return this.renewal;
  }

  private async renewOnce(): Promise<boolean> {
    const tokens = this.issued();
    if (!tokens?.refresh) return false;
    const { renewed } = await import("./oidc");
    try {
      this.keep(await renewed(tokens));
      this.renewInTime();
      return true;
    } catch {
      return false;
    }
  }

  refused(why: string): void {
    this.leave();
    this.refusal.value = why;
  }

  leave(): void {
    clearTimeout(this.timer);
    sessionStorage.removeItem(TOKEN);
    sessionStorage.removeItem(ISSUED);
    this.refusal.value = "";
    this.caller.value = null;
  }

  /** Whether the caller has a role or a higher one. */
  may(role: Role): boolean {
    const own = this.caller.value?.role as Role | undefined;
    return own !== undefined && ROLES.indexOf(own) >= ROLES.indexOf(role);
  }
}

export const session = new Session();

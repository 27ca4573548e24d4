// Who uses this tab: the token, kept in sessionStorage only, and the caller that it identifies.
import { Signal } from "../record/signal";
import type { Schemas } from "../record/api";

export type Role = "viewer" | "agent" | "operator";
type Caller = Schemas["Caller"];
const TOKEN = "tower.token";
const ROLES: Role[] = ["viewer", "agent", "operator"];

class Session {
  readonly caller = new Signal<Caller | null>(null);
  /** Why the last token was refused. */
  readonly refusal = new Signal<string>("");

  get token(): string {
    return sessionStorage.getItem(TOKEN) ?? "";
  }

  /** Takes a token if the service knows it. */
  async enter(token: string): Promise<void> {
    sessionStorage.setItem(TOKEN, token.trim());
    this.refusal.value = "";
    const { call } = await import("../record/api");
    try {
      this.caller.value = await call("GET /me");
    } catch (e) {
      if (this.token) this.refusal.value = e instanceof Error ? e.message : String(e);
      throw e;
    }
  }

  refused(why: string): void {
    this.leave();
    this.refusal.value = why;
  }

  leave(): void {
    sessionStorage.removeItem(TOKEN);
    this.caller.value = null;
  }

  /** Whether the caller has a role or a higher one. */
  may(role: Role): boolean {
    const own = this.caller.value?.role as Role | undefined;
    return own !== undefined && ROLES.indexOf(own) >= ROLES.indexOf(role);
  }
}

export const session = new Session();

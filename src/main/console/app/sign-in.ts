// Signs this tab in with a token that the service recognizes.
import { call } from "../record/api";
import type { Tokens } from "../record/oidc";
import { session } from "../record/session";

export async function enter(token: string): Promise<void> {
  session.use(token);
  await ask();
}

/** Signs in with the tokens of an issuer. */
export async function enterIssued(tokens: Tokens): Promise<void> {
  session.useIssued(tokens);
  await ask();
}

async function ask(): Promise<void> {
  try {
    session.begin(await call("GET /me"));
  } catch (e) {
    if (session.token) session.refusal.value = e instanceof Error ? e.message : String(e);
    throw e;
  }
}

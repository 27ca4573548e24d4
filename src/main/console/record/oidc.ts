// Sign-in at an issuer: the authorization code flow with PKCE. Everything is kept in this tab only.

export type Settings = { issuer: string | null; client_id: string | null; scope: string; version: string };
export type Tokens = { access: string; refresh?: string; expiresAt?: number; endpoint: string; clientId: string };
type Begun = { state: string; verifier: string; place: string; issuer: string; clientId: string; endpoint: string };
type Discovery = { issuer: string; authorization_endpoint: string; token_endpoint: string };

const BEGUN = "tower.sign-in";

export async function settings(): Promise<Settings> {
  const response = await fetch("/console/settings.json", { cache: "no-store", credentials: "omit" });
  if (!response.ok) throw new Error(`The settings of the console cannot be read: status ${response.status}.`);
  return await response.json() as Settings;
}

const redirect = () => `${location.origin}/console/`;

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** Goes to the issuer's page. */
export async function begin({ issuer, client_id: clientId, scope }: Settings): Promise<void> {
  if (!issuer || !clientId) throw new Error("No issuer is configured.");
  if (!window.isSecureContext) throw new Error("Sign-in at an issuer needs https (or localhost).");
  const found = await discover(issuer);
  const begun: Begun = {
    state: random(), verifier: random(), place: location.pathname + location.search + location.hash, issuer, clientId,
    endpoint: found.token_endpoint,
  };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const challenge = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(begun.verifier)));
  const address = new URL(found.authorization_endpoint);
  for (const [name, value] of Object.entries({
    response_type: "code", client_id: clientId, redirect_uri: redirect(), scope, state: begun.state,
    code_challenge: base64url(challenge), code_challenge_method: "S256",
  })) address.searchParams.set(name, value);
  location.assign(address);
}

async function discover(issuer: string): Promise<Discovery> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const found = await read<Discovery>(url, { credentials: "omit" }, "The issuer");
  if (found.issuer.replace(/\/$/, "") !== issuer.replace(/\/$/, "")) {
    throw new Error(`The issuer calls itself ${found.issuer}, but the service trusts ${issuer}.`);
  }
  return found;
}

/** Completes a sign-in that was started in this tab; returns the tokens and the requested address. */
export async function end(): Promise<{ tokens: Tokens; place: string }> {
  const query = new URLSearchParams(location.search);
  const begun = JSON.parse(sessionStorage.getItem(BEGUN) ?? "null") as Begun | null;
  sessionStorage.removeItem(BEGUN);
  history.replaceState(null, "", begun?.place ?? "/console/");
  if (!begun || query.get("state") !== begun.state) throw new Error("This sign-in was not started in this tab. Sign in again.");
  const issuer = query.get("iss");
  if (issuer !== null && issuer !== begun.issuer) throw new Error("Another issuer answered. Sign in again.");
  const code = query.get("code");
  if (!code) throw new Error(`The issuer refused: ${query.get("error_description") ?? query.get("error") ?? "no reason given"}.`);
  const tokens = await request(begun.endpoint, begun.clientId, {
    grant_type: "authorization_code", code, redirect_uri: redirect(), code_verifier: begun.verifier,
  });
  return { tokens, place: begun.place };
}

/** Gets new tokens; fails if the issuer does not renew any more. */
export function renewed(tokens: Tokens): Promise<Tokens> {
  return request(tokens.endpoint, tokens.clientId, { grant_type: "refresh_token", refresh_token: tokens.refresh ?? "" }, tokens.refresh);
}

async function request(endpoint: string, clientId: string, form: Record<string, string>, refresh?: string): Promise<Tokens> {
  const answer = await read<{ access_token?: string; refresh_token?: string; expires_in?: number }>(endpoint, {
    method: "POST", credentials: "omit", body: new URLSearchParams({ ...form, client_id: clientId }),
  }, "The issuer");
  if (!answer.access_token) throw new Error("The issuer gave no token.");
  return {
    access: answer.access_token, refresh: answer.refresh_token ?? refresh, endpoint, clientId,
    expiresAt: answer.expires_in === undefined ? undefined : Date.now() + answer.expires_in * 1000,
  };
}

async function read<T>(url: string, init: RequestInit, who: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, cache: "no-store" });
  } catch {
    throw new Error(`${who} cannot be reached at ${new URL(url).origin}; it must allow requests from ${location.origin}.`);
  }
  const body = await response.json().catch(() => ({})) as T & { error?: string; error_description?: string };
  if (!response.ok) throw new Error(`${who} refused: ${body.error_description ?? body.error ?? `status ${response.status}`}.`);
  return body;
}

// Calls of the service, typed by its OpenAPI document.
import type { Calls, Schemas } from "../../../../target/console/api";
import { session } from "./session";

export type { Calls, Schemas };
export type Call = keyof Calls;
export type Answer<C extends Call> = Calls[C]["answer"];

type Parts<C extends Call> = {
  path?: Calls[C]["path"];
  query?: Calls[C]["query"];
  body?: Calls[C]["body"];
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** A refusal of the service, or a service that cannot be reached (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly suggestion: string,
    readonly body: Record<string, unknown>,
  ) {
    super(detail);
  }
}

export function address<C extends Call>(call: C, parts: Parts<C> = {}): string {
  const given = parts.path as Record<string, unknown> | undefined;
  const path = call.slice(call.indexOf(" ") + 1)
    .replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(given?.[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((parts.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== "") query.set(name, String(value));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Sends a request with the token of this tab; every call through the console says so. */
export async function send(method: string, url: string, init: RequestInit = {}, isSecond = false): Promise<Response> {
  const token = session.token;
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${token}`);
  headers.set("X-Door", "console");
  let response: Response;
  try {
    response = await fetch(url, { ...init, method, headers, cache: "no-store", credentials: "omit", redirect: "error" });
  } catch (e) {
    if (init.signal?.aborted) throw e;
    throw new Problem(0, "unreachable", "The service cannot be reached.", "The page retries automatically.", {});
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => ({})) as Record<string, unknown>;
  if (response.status === 401 && !isSecond && (token === session.token ? await session.renew() : session.token)) {
    return send(method, url, init, true);
  }
  if (response.status === 401) session.refused(String(body.detail ?? "The token is not valid."));
  throw new Problem(response.status, String(body.error ?? response.status),
    String(body.detail ?? body.title ?? `The service answered ${response.status}.`), String(body.suggestion ?? ""), body);
}

export async function call<C extends Call>(name: C, parts: Parts<C> = {}): Promise<Answer<C>> {
  const headers: Record<string, string> = { ...parts.headers };
  if (parts.body !== undefined) headers["Content-Type"] = "application/json";
  const response = await send(name.slice(0, name.indexOf(" ")), address(name, parts), {
    headers, signal: parts.signal, body: parts.body === undefined ? undefined : JSON.stringify(parts.body),
  });
  return (response.status === 204 ? undefined : await response.json()) as Answer<C>;
}

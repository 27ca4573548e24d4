// Names as links to their pages.
import { html, nothing, type TemplateResult } from "lit";

const LONGEST = 14;

/** An id that fits into a table; its title is the whole id. */
export function shortId(id: string): string {
  return id.length <= LONGEST ? id : `${id.slice(0, LONGEST - 1)}…`;
}

const to = (page: string, name: string) => `/console/${page}/${encodeURIComponent(name)}`;

export const runAddress = (id: string): string => to("runs", id);
export const approvalAddress = (id: string): string => to("approvals", id);
export const lockAddress = (name: string): string => to("locks", name);
export const intentAddress = (name: string): string => to("intents", name);
export const taskAddress = (id: string): string => to("tasks", id);
export const mailboxAddress = (name: string): string => to("mailboxes", name);

/** A run by its intent and its id; one link. */
export const runLink = (id: string, intent?: string): TemplateResult => html`<a href=${runAddress(id)} title=${id}
  >${intent ? html`${intent} <span class="id mono">${shortId(id)}</span>` : html`<span class="mono">${shortId(id)}</span>`}</a>`;
/** What is to be approved about a run. */
export const approvalLink = (id: string, intent: string): TemplateResult => html`<a href=${approvalAddress(id)} title=${id}
  >${intent} <span class="id mono">${shortId(id)}</span></a>`;
export const lockLink = (name: string): TemplateResult => html`<a href=${lockAddress(name)}>${name}</a>`;
export const intentLink = (name: string): TemplateResult => html`<a href=${intentAddress(name)}>${name}</a>`;
export const taskLink = (id: string, title?: string): TemplateResult => html`<a href=${taskAddress(id)}>${title ?? id}</a>`;
/** The queue of an agent. */
export const agentLink = (agent: string | undefined): TemplateResult | string => agent
  ? html`<a href=${`/console/tasks?agent=${encodeURIComponent(agent)}`}>${agent}</a>` : "";

/** The actor, and the person for whom it acts. */
export const actor = (name: string | undefined, onBehalfOf?: string | null): TemplateResult =>
  html`${name ?? "unknown"}${onBehalfOf ? html` <span class="quiet">for ${onBehalfOf}</span>` : nothing}`;

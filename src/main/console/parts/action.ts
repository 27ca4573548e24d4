// A button for an action that needs a role. Every caller sees it; without the role it is disabled and names the role.
import { html, type TemplateResult } from "lit";
import { session, type Role } from "../record/session";

export function action(label: string, role: Role, perform: () => unknown, kind: "" | "primary" | "danger" = ""): TemplateResult {
  const may = session.may(role);
  return html`<button type="button" class=${kind} aria-disabled=${may ? "false" : "true"}
    @click=${() => { if (may) perform(); }}>${label}${may ? "" : html` <small>needs ${role}</small>`}</button>`;
}

/** The same for an action that begins on another page. */
export function actionLink(label: string, role: Role, address: string, kind: "" | "primary" = ""): TemplateResult {
  return session.may(role) ? html`<a class="button ${kind}" href=${address}>${label}</a>` : action(label, role, () => {});
}

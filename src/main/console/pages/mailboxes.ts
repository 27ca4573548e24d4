import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Mailboxes extends PageComponent {
  override render() {
    return html`<h1>Mailboxes</h1>`;
  }
}

define("page-mailboxes", Mailboxes);

import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Lock extends PageComponent {
  override render() {
    return html`<h1>Lock</h1>`;
  }
}

define("page-lock", Lock);

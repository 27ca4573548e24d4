import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Locks extends PageComponent {
  override render() {
    return html`<h1>Locks</h1>`;
  }
}

define("page-locks", Locks);

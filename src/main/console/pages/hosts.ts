import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Hosts extends PageComponent {
  override render() {
    return html`<h1>Hosts</h1>`;
  }
}

define("page-hosts", Hosts);

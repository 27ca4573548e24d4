import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Audit extends PageComponent {
  override render() {
    return html`<h1>Audit</h1>`;
  }
}

define("page-audit", Audit);

import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Runs extends PageComponent {
  override render() {
    return html`<h1>Runs</h1>`;
  }
}

define("page-runs", Runs);

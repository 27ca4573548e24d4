import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Intent extends PageComponent {
  override render() {
    return html`<h1>Intent</h1>`;
  }
}

define("page-intent", Intent);

import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Now extends PageComponent {
  override render() {
    return html`<h1>Now</h1>`;
  }
}

define("page-now", Now);

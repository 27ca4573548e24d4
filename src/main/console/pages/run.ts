import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Run extends PageComponent {
  override render() {
    return html`<h1>Run</h1>`;
  }
}

define("page-run", Run);

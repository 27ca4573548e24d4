import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Intents extends PageComponent {
  override render() {
    return html`<h1>Intents</h1>`;
  }
}

define("page-intents", Intents);

import { html } from "lit";
import { define, PageComponent } from "../parts/component";

class Tasks extends PageComponent {
  override render() {
    return html`<h1>Tasks</h1>`;
  }
}

define("page-tasks", Tasks);

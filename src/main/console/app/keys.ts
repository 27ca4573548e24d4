// Keyboard shortcuts: "g n" and its like, "/" and "?". They can be switched off, for voice control and the like.
import { html, nothing, render } from "lit";
import { go } from "../parts/router";

const GO: Array<[key: string, address: string, name: string]> = [["n", "", "Now"], ["r", "runs", "Runs"], ["p", "approvals", "Approvals"], ["l", "locks", "Locks"],
  ["i", "intents", "Intents"], ["t", "tasks", "Tasks"], ["m", "mailboxes", "Mailboxes"], ["a", "audit", "Audit"], ["h", "hosts", "Hosts"]];
const SECOND_KEY_MS = 1_500;
const OFF = "tower.keys.off";
let firstAt = 0;

export function listenToKeys(): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat || isOff()
        || isText(event.target) || document.querySelector("dialog[open]")) return;
    const isSecond = event.timeStamp - firstAt < SECOND_KEY_MS;
    firstAt = 0;
    const target = isSecond ? GO.find(([key]) => key === event.key) : undefined;
    if (target) go(`/console/${target[1]}`);
    else if (event.key === "g") firstAt = event.timeStamp;
    else if (event.key === "?") showKeys();
    else if (event.key !== "/" || !toFilter()) return;
    event.preventDefault();
  });
}

function isOff(): boolean {
  return localStorage.getItem(OFF) !== null;
}

function isText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement
    && (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox], [type=radio], [type=button])"));
}

function toFilter(): boolean {
  const box = document.querySelector<HTMLInputElement>("main input[type=search]");
  box?.focus();
  box?.select();
  return box !== null;
}

/** The list of all shortcuts. */
export function showKeys(): void {
  const opener = document.activeElement as HTMLElement | null;
  const dialog = document.createElement("dialog");
  dialog.className = "keys";
  dialog.setAttribute("aria-labelledby", "keys-title");
  const row = (keys: string[], what: string) => html`<tr><th scope="row">${keys.map((key, i) =>
    html`${i > 0 ? " then " : nothing}<kbd>${key}</kbd>`)}</th><td>${what}</td></tr>`;
  render(html`<h2 id="keys-title">Keyboard shortcuts</h2>
    <table><caption class="unseen">Keyboard shortcuts</caption>
      <thead class="unseen"><tr><th scope="col">Keys</th><th scope="col">What they do</th></tr></thead>
      <tbody>${GO.map(([key, , name]) => row(["g", key], `Go to ${name}`))}
      ${row(["/"], "Go to the filter of the page; Esc empties it")}${row(["?"], "Show this list")}</tbody></table>
    <label><input type="checkbox" .checked=${!isOff()} @change=${(event: Event) => {
      if ((event.target as HTMLInputElement).checked) localStorage.removeItem(OFF); else localStorage.setItem(OFF, "true");
    }}>Use keyboard shortcuts</label>
    <p class="buttons"><button type="button" class="primary" autofocus @click=${() => dialog.close()}>Close</button></p>`, dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    opener?.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

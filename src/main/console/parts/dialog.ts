// A question before an action that changes something: what will happen, why, and a button that repeats it.
import { html, render, nothing } from "lit";
import { Problem } from "../record/api";

const FOCUS_KEPT_MS = 5_000;

export type Question = {
  title: string;
  /** The consequence, in a sentence. */
  text: unknown;
  /** The verb and the name, as on the button. */
  action: string;
  /** More fields of the form, between the text and the reason. */
  fields?: unknown;
  /** Whether a reason must be given. */
  needsReason?: boolean;
  isDangerous?: boolean;
  /** The button that changes nothing; "Cancel" if absent. */
  dismiss?: string;
  /** Performs the action with the reason and all fields; a problem stays in the dialog. */
  perform: (reason: string, form: FormData) => Promise<unknown>;
};

/** Asks, performs, and resolves to whether it was performed. */
export function ask(question: Question): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "dialog-title");
  const opener = document.activeElement as HTMLElement | null;
  return new Promise((resolve) => {
    let isBusy = false;
    let problem: Problem | Error | null = null;
    const close = (isDone: boolean) => {
      dialog.close();
      dialog.remove();
      opener?.focus();
      if (isDone && opener) keepFocus(opener);
      resolve(isDone);
    };
    const submit = async (event: SubmitEvent) => {
      event.preventDefault();
      const form = new FormData(event.target as HTMLFormElement);
      const reason = String(form.get("reason") ?? "").trim();
      if (isBusy || (question.needsReason && !reason)) return;
      isBusy = true;
      problem = null;
      draw();
      try {
        await question.perform(reason, form);
        close(true);
      } catch (e) {
        problem = e as Error;
        isBusy = false;
        draw();
      }
    };
    const draw = () => render(html`
      <form @submit=${submit}>
        <h2 id="dialog-title">${question.title}</h2>
        <p>${question.text}</p>
        ${question.fields ?? nothing}
        ${question.needsReason ? html`<label>Reason, for the audit log
          <input name="reason" required maxlength="1000" autocomplete="off"></label>` : nothing}
        ${problem ? html`<p class="problem" role="alert">${problem.message}
          ${problem instanceof Problem ? problem.suggestion : nothing}</p>` : nothing}
        <p class="buttons">
          <button type="button" @click=${() => close(false)}>${question.dismiss ?? "Cancel"}</button>
          <button class=${question.isDangerous ? "danger" : "primary"} ?disabled=${isBusy}>${question.action}</button>
        </p>
      </form>`, dialog);
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      close(false);
    });
    document.body.append(dialog);
    draw();
    dialog.showModal();
  });
}

/** An action may soon remove its own button; the focus then moves to the heading of the page. */
function keepFocus(opener: HTMLElement): void {
  const watch = new MutationObserver(() => {
    if (opener.isConnected) return;
    watch.disconnect();
    if (document.activeElement !== document.body) return;
    const heading = document.querySelector<HTMLElement>("main h1");
    if (heading) heading.tabIndex = -1;
    heading?.focus({ preventScroll: true });
  });
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), FOCUS_KEPT_MS);
}

// What may be done with a lock, each in two steps. They resolve to whether it was done.
import { html, nothing, type TemplateResult } from "lit";
import { ask } from "../parts/dialog";
import { moment } from "../parts/moment";
import { runAddress } from "../parts/names";
import { call } from "../record/api";
import { isRun, newId } from "./lock-intents";
import { frozenText, isHeld, type Held, type View } from "./lock-text";

type Choices = Array<[string, string]>;
const FREEZES: Choices = [["900", "15 minutes"], ["1800", "30 minutes"], ["3600", "1 hour"], ["14400", "4 hours"], ["86400", "1 day"],
  ["604800", "7 days"]];
const TTLS: Choices = [["300", "5 minutes"], ["900", "15 minutes"], ["3600", "1 hour"], ["14400", "4 hours"]];

const seconds = (label: string, choices: Choices, chosen: string): TemplateResult => html`<label for="dialog-seconds">${label}</label>
  <select id="dialog-seconds" name="seconds">${choices.map(([value, text]) => html`<option value=${value} ?selected=${value === chosen}>${text}</option>`)}</select>`;

/** Takes a stale lock; the caller holds it afterwards. */
export function takeOver(lock: Held): Promise<boolean> {
  const name = lock.lock_name;
  const id = newId();
  const body = (reason: string, form: FormData) =>
    ({ force_lock: true, reason, ttl_seconds: Number(form.get("seconds")), request_id: id });
  return ask({
    title: `Take over ${name}`,
    text: html`You hold ${name} afterwards, and ${lock.actor} (${lock.intent}) has lost it. If that work still continues somewhere,
      both work at the same time: make sure that it has ended. The audit log keeps the hash of the previous lock.`,
    fields: seconds("Hold it, without a renewal, for", TTLS, "900"),
    needsReason: true, isDangerous: true, action: `Take over ${name}`,
    perform: (reason, form) => call("POST /locks/{name}", { path: { name }, body: body(reason, form) }),
  });
}

export function forceRelease(lock: View): Promise<boolean> {
  const name = lock.lock_name;
  return ask({
    title: `Force-release ${name}`,
    text: html`${isHeld(lock) ? html`${lock.actor} (${lock.intent}) loses the lock` : "The lock is removed"}, and the next request may take it at once.
      ${lock.state === "active" && !lock.holder ? html`<strong>Its holder renewed it ${moment(lock.last_heartbeat_at)}, and may still work.</strong>
        ${isRun(lock) ? html`To end the run, <a href=${runAddress(lock.request_id)}>cancel it</a> instead.` : nothing}`
        : "Make sure that the work under it has ended."}`,
    fields: isRun(lock) ? html`<label><input type="checkbox" name="abandon"> Abandon the run if it is alive: it is stopped, and not rolled back</label>` : nothing,
    needsReason: true, isDangerous: true, action: `Force-release ${name}`,
    perform: (reason, form) => call("POST /locks/{name}/force-release", { path: { name }, body: { reason, abandon: form.has("abandon") } }),
  });
}

export function freeze(name: string, isFree: boolean): Promise<boolean> {
  return ask({
    title: `Freeze ${name}`,
    text: `No request can take ${name} until the freeze ends or is lifted, not even by force. Those that wait keep waiting.${
      isFree ? "" : " The current holder is not affected."}`,
    fields: seconds("For", FREEZES, "3600"),
    needsReason: true, action: `Freeze ${name}`,
    perform: (reason, form) => call("PUT /freezes/{name}", { path: { name }, body: { reason, ttl_seconds: Number(form.get("seconds")) } }),
  });
}

export function lift(lock: View): Promise<boolean> {
  const name = lock.lock_name;
  return ask({
    title: `Lift the freeze of ${name}`,
    text: html`${lock.frozen ? frozenText(lock.frozen) : ""} Afterwards ${lock.waiters ? "the first of the waiting requests" : "any request"} may take the lock.`,
    action: `Lift the freeze of ${name}`,
    perform: () => call("DELETE /freezes/{name}", { path: { name } }),
  });
}

export function release(lock: Held): Promise<boolean> {
  const name = lock.lock_name;
  return ask({
    title: `Release ${name}`,
    text: "The lock is free afterwards, and the next request may take it.",
    action: `Release ${name}`,
    perform: () => call("DELETE /locks/{name}", { path: { name }, query: { request_id: lock.request_id, fencing_token: lock.fencing_token } }),
  });
}

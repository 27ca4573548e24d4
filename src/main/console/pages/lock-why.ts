// Why a lock is not available, and what helps: links, and commands that can be typed as they stand.
import { html, nothing, type TemplateResult } from "lit";
import { command } from "../parts/command";
import { moment } from "../parts/moment";
import { runAddress } from "../parts/names";
import { stamp } from "../parts/stamp";
import { status } from "../parts/status";
import { duration } from "../record/time";
import { intentWith, isRun, type Taker } from "./lock-intents";
import { frozenText, isHeld, waitText, type Held, type View } from "./lock-text";

export type Known = {
  name: string;
  lock: View | null;
  /** The intents whose runs take the lock. */
  takers: Taker[];
  /** The run that holds it, with its status if that is known. */
  run?: { id: string; status?: string };
  /** How long it is usually held. */
  usualSeconds?: number;
  /** Whether this caller holds it by hand. */
  isMine: boolean;
};
type Help = { why: string; how: TemplateResult };
type Reason = { title: TemplateResult | string; helps: Help[] };

export function why(of: Known): TemplateResult | typeof nothing {
  const found = reasons(of);
  if (found.length > 0) {
    return html`<section aria-labelledby="why"><h2 id="why">Why it is not available, and what helps</h2>
      <ol class="reasons">${found.map((reason) => html`<li><p>${reason.title}</p>
        <ul class="helps">${reason.helps.map((help) => html`<li>${help.why}: ${help.how}</li>`)}</ul></li>`)}</ol></section>`;
  }
  return of.isMine ? nothing : html`<section aria-labelledby="why"><h2 id="why">How it is taken</h2>
    <ul class="helps">${of.takers.map((it) => html`<li>Run <a href=${intentWith(it.intent, it.params ?? {})}>${it.intent}</a>${
      it.command ? html`: ${command(it.command)}` : nothing}</li>`)}
      <li>Hold it by hand: ${command(`tower lock ${of.name} --ttl 15m`)}</li>
      <li>Run a command under it: ${command(`tower guard ${of.name} -- COMMAND`)}</li></ul></section>`;
}

function reasons(of: Known): Reason[] {
  const { name, lock } = of;
  if (!lock) return [];
  const found: Reason[] = [];
  if (lock.frozen) {
    found.push({ title: frozenText(lock.frozen), helps: [
      { why: "Wait until the freeze ends", how: waits(of, "1h") },
      { why: "Lift it, if it is no longer wanted (operator)", how: command(`tower unfreeze ${name}`) }] });
  }
  if (isHeld(lock) && !of.isMine) found.push(...held(of, lock));
  if (lock.state === "corrupt" || lock.state === "unsupported") {
    found.push({ title: `The lock cannot be read: ${lock.problem ?? `version ${lock.lock_version}`}`, helps: [
      { why: "Remove it, if it is not held (operator)", how: command(`tower force-release ${name} --reason "it is not held"`) }] });
  }
  if (found.length > 0 && lock.waiters > 0) {
    found.push({ title: `${waitText(lock.waiters)} before a new one.`, helps: [{ why: "See who", how: html`<a href="#queue">the queue</a>` }] });
  }
  return found;
}

function held(of: Known, lock: Held): Reason[] {
  const run: Help[] = of.run ? [{ why: "See how far its run got",
    how: html`<a href=${runAddress(of.run.id)}>run ${of.run.id}</a> ${of.run.status ? status(of.run.status) : nothing}` }] : [];
  const removal = command(`tower force-release ${of.name} --reason "its holder is gone"`);
  const found: Reason[] = [];
  if (lock.state === "stale") {
    found.push({ title: html`Its holder sent no heartbeat for ${moment(lock.last_heartbeat_at, "since")}. Waiting does not help.`, helps: [...run,
      { why: "If its work has ended, take it over (operator)", how: command(onlyCommand(of, " --force-lock") ?? `tower lock ${of.name} --force-lock`) },
      { why: "Or free it (operator)", how: removal }] });
  } else if (lock.holder) {
    found.push({ title: html`Its holder's process is gone. It becomes stale at ${stamp(lock.expires_at)}.`, helps: [...run,
      { why: "Free it before that, if its work has ended (operator)", how: removal }] });
  } else {
    const how = lock.metadata.holder_process === undefined ? html`, until ${stamp(lock.expires_at)} unless it is renewed` : ", and its process renews it";
    found.push({ title: html`${lock.actor} holds it${how}.${of.usualSeconds ? ` It is usually held for ${duration(of.usualSeconds)}.` : ""}`,
      helps: [...run, { why: "Wait for it", how: waits(of, "10m") }] });
  }
  if (lock.clock_skew) {
    found.push({ title: "Its last heartbeat is ahead of the service's clock.", helps: [{ why: "See what is wrong with the clock", how: command("tower doctor") }] });
  }
  return found;
}

/** The intent whose run holds the lock; otherwise all intents whose runs take it. */
function likely(of: Known): Taker[] {
  const holder = of.lock && isHeld(of.lock) && isRun(of.lock) ? of.lock.intent : undefined;
  const own = of.takers.filter((it) => it.intent === holder);
  return own.length > 0 ? own : of.takers;
}

/** The command of the one likely intent, if the lock's name determines its values. */
function onlyCommand(of: Known, options: string): string | undefined {
  const [taker, ...others] = likely(of);
  return taker?.command && others.length === 0 ? taker.command + options : undefined;
}

function waits(of: Known, patience: string): TemplateResult {
  const found = likely(of);
  if (found.length === 0) return command(`tower lock ${of.name} --wait ${patience}`);
  const typed = onlyCommand(of, ` --wait ${patience}`);
  return html`${found.map((it, i) => html`${i > 0 ? " or " : nothing}<a
    href=${intentWith(it.intent, it.params ?? {}, { wait: "600" })}>run ${it.intent} and wait</a>`)} ${typed ? command(typed) : nothing}`;
}

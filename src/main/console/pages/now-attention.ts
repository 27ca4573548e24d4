// What needs a person, the worst first: each with a sentence and the action that helps.
import { html, nothing, type TemplateResult } from "lit";
import { action, actionLink } from "../parts/action";
import { ask } from "../parts/dialog";
import { moment } from "../parts/moment";
import { approvalAddress, approvalLink, intentAddress, intentLink, lockAddress, lockLink, mailboxAddress, runAddress, runLink, taskAddress, taskLink } from "../parts/names";
import { call, type Schemas } from "../record/api";
import type { Approval } from "../record/approval";
import type { Overview, RunRow } from "../record/overview";
import { since } from "../record/time";

export type Concern = {
  key: string;
  /** The state as a word, and what is in it. */
  state: string;
  subject: TemplateResult;
  text: TemplateResult;
  action: TemplateResult;
  /** For the filter. */
  words: Array<string | undefined>;
};

/** After that, an interrupted run is history, unless its lock is still there. */
const RECENT_MS = 24 * 3600_000;

/** What a halt has as path that is a policy which cannot be read. */
const POLICY = "the policy";

/** Whether the process that executes a run is gone, as far as the record says. */
export function isGone(run: RunRow, state: Overview): boolean {
  const lock = run.lock_name ? state.locks[run.lock_name] : undefined;
  return (run.host_id !== undefined && state.hosts[run.host_id]?.alive === false)
    || (lock?.request_id === run.request_id && lock.holder === "gone");
}

export function concerns(state: Overview): Concern[] {
  return [...halts(state), ...locks(state), ...runs(state), ...hosts(state), ...interrupted(state), ...drifts(state), ...freezes(state), ...tasks(state), ...mailboxes(state)];
}

/** The runs that wait for the vote of the caller. */
export function approvals(mine: Approval[]): Concern[] {
  return mine.map((it) => ({ key: `approval ${it.request_id}`, state: "awaiting_approval", subject: approvalLink(it.request_id, it.intent),
    text: html`${it.on_behalf_of ? `${it.actor} for ${it.on_behalf_of}` : it.actor} asks for your approval${it.lock_name ? html`, under lock ${lockLink(it.lock_name)}` : nothing}:
      ${it.have} of ${it.need}, ${moment(it.expires_at, "left")}.`,
    action: html`<a class="button primary" href=${approvalAddress(it.request_id)}>See the plan, and vote</a>`,
    words: [it.intent, it.request_id, it.actor, it.on_behalf_of, it.lock_name, "approval"] }));
}

function* drifts(state: Overview): Iterable<Concern> {
  for (const intent of Object.values(state.intents)) {
    if (intent.drifted_since) yield { key: `drift ${intent.name}`, state: "drifted", subject: intentLink(intent.name), words: [intent.name, "drifted"],
      text: html`Its desired state has not held ${moment(intent.drifted_since, "since")}.`, action: look("Look at the intent", intentAddress(intent.name)) };
  }
}

const waiters = (count: number) => count === 0 ? nothing : html` <strong>${count} ${count === 1 ? "waits" : "wait"}</strong> for it.`;

function* halts(state: Overview): Iterable<Concern> {
  for (const halt of Object.values(state.halts)) {
    const name = halt.name;
    const base = { key: `halt ${name}`, state: "halted", subject: html`Halt ${name}` };
    if ("problem" in halt) {
      yield { ...base, words: [name, halt.problem, "halted"], action: halt.path === POLICY ? html`Correct the file.` : unhalt(name),
        text: html`Nothing new begins: ${halt.path} cannot be read: ${halt.problem}.` };
    } else {
      yield { ...base, words: [name, halt.actor, halt.reason, "halted", ...halt.actors, ...halt.intents, ...halt.locks], action: unhalt(name),
        text: html`${halt.actor} placed it ${moment(halt.created_at)}: “${halt.reason}”. Level ${halt.level}; it covers ${covered(halt)},
          ${halt.expires_at ? moment(halt.expires_at, "left") : "until it is lifted"}.` };
    }
  }
}

const covered = (halt: Schemas["Halt"]) => halt.all ? "everything" : (["actors", "intents", "locks"] as const)
  .filter((it) => halt[it].length > 0).map((it) => `${it} ${halt[it].join(" ")}`).join(", ");

/** The halt by a file of the home is lifted there. */
const unhalt = (name: string) => name === "HALT" ? html`Remove the file HALT of the home.` : action("Lift the halt…", "operator", () =>
  ask({ title: `Lift halt ${name}?`, text: "From then on, what it covers may begin again.", action: `Lift halt ${name}`,
    perform: () => call("DELETE /halts/{name}", { path: { name } }) }));

function* locks(state: Overview): Iterable<Concern> {
  const troubled = Object.values(state.locks).filter((it) => it.state !== "active" || it.holder === "gone");
  for (const lock of troubled.sort((a, b) => Number(a.state === "active") - Number(b.state === "active") || b.waiters - a.waiters || a.lock_name.localeCompare(b.lock_name))) {
    const name = lock.lock_name;
    const holder = html`${lock.actor ?? "unknown"}${lock.intent ? html` (${lock.intent})` : nothing}`;
    const base = { key: `lock ${name}`, subject: lockLink(name), words: [name, lock.actor, lock.intent, lock.request_id, lock.state, lock.host_id] };
    if (lock.state === "stale") {
      yield { ...base, state: "stale", text: html`Its holder ${holder} last renewed it ${moment(lock.last_heartbeat_at)}${lock.holder === "gone"
        ? ", and its process is gone" : nothing}.${waiters(lock.waiters)}`, action: state.freezes[name] ? look("Look at the lock", lockAddress(name))
          : actionLink("Take over…", "operator", `${lockAddress(name)}#take-over`, "primary") };
    } else if (lock.holder === "gone") {
      // The run that holds it is a concern itself.
      if (state.runs[lock.request_id ?? ""]?.status !== "running") yield { ...base, state: "gone", text: html`The process of its holder ${holder} is gone; the lock becomes stale at
        ${moment(lock.expires_at, "clock")}.${waiters(lock.waiters)}`, action: look("Look at the lock", lockAddress(name)) };
    } else {
      yield { ...base, state: lock.state, text: html`It cannot be read: ${lock.problem}.${waiters(lock.waiters)}`,
        action: look("Look at the lock", lockAddress(name)) };
    }
  }
}

function* runs(state: Overview): Iterable<Concern> {
  for (const run of Object.values(state.runs)) {
    const base = { key: `run ${run.request_id}`, subject: runLink(run.request_id, run.intent),
      action: look("Look at the run", runAddress(run.request_id)), words: [run.intent, run.request_id, run.actor, run.lock_name, run.host_id] };
    if (run.status === "running" && isGone(run, state)) {
      yield { ...base, state: "gone", text: html`The process that executed this run of ${run.actor}${run.host_id
        ? html` on host ${run.host_id}` : nothing} is gone.${run.lock_name && state.locks[run.lock_name]?.request_id === run.request_id
        ? html` Its lock ${lockLink(run.lock_name)} becomes stale at ${moment(state.locks[run.lock_name]?.expires_at, "clock")}.${waiters(state.locks[run.lock_name]!.waiters)}` : nothing}` };
    } else if (run.heartbeat_failures) {
      yield { ...base, state: "heartbeats fail", text: html`The last ${run.heartbeat_failures.consecutive} renewals of its lock
        ${run.lock_name ? lockLink(run.lock_name) : nothing} failed: ${run.heartbeat_failures.last_error}. It renewed it last
        ${moment(run.last_heartbeat_at)}.` };
    }
  }
}

function* hosts(state: Overview): Iterable<Concern> {
  for (const host of Object.values(state.hosts)) {
    if (!host.alive) {
      yield { key: `host ${host.host_id}`, state: "gone", subject: html`<a href="/console/hosts">Host ${host.host_id}</a>`,
        text: html`None of its ${host.executors.length} executors is alive.`, action: look("Look at the hosts", "/console/hosts"),
        words: [host.host_id, "host"] };
    }
  }
}

function* interrupted(state: Overview): Iterable<Concern> {
  for (const run of Object.values(state.interrupted).sort((a, b) => b.finished_at.localeCompare(a.finished_at))) {
    const lock = run.lock_name ? state.locks[run.lock_name] : undefined;
    const isHeld = lock?.request_id === run.request_id;
    if (isHeld || since(run.finished_at) < RECENT_MS) {
      yield { key: `interrupted ${run.request_id}`, state: "interrupted", subject: runLink(run.request_id, run.intent),
        text: html`This run of ${run.actor} was interrupted ${moment(run.finished_at)}; see what it had done.${isHeld
          ? html` Its lock ${lockLink(run.lock_name!)} is still there.` : nothing}`,
        action: look("Look at the run", runAddress(run.request_id)), words: [run.intent, run.request_id, run.actor, run.lock_name] };
    }
  }
}

function* freezes(state: Overview): Iterable<Concern> {
  for (const freeze of Object.values(state.freezes)) {
    const name = freeze.name;
    const waiting = Object.values(state.runs).filter((it) => it.status === "waiting" && it.lock_name === name).length;
    yield { key: `freeze ${name}`, state: "frozen", subject: lockLink(name), words: [name, freeze.frozen_by, freeze.reason, "frozen"],
      text: freeze.problem ? html`Its freeze cannot be read, so nothing may take it: ${freeze.problem}.`
        : html`${freeze.frozen_by} froze it ${moment(freeze.created_at)}: “${freeze.reason}”. ${moment(freeze.expires_at, "left")}.${waiters(waiting)}`,
      action: action("Lift the freeze…", "operator", () => lift(name)) };
  }
}

function lift(name: string): Promise<boolean> {
  return ask({ title: `Lift the freeze of ${name}?`, text: "From then on, runs and clients may take this lock again.",
    action: `Lift the freeze of ${name}`, perform: () => call("DELETE /freezes/{name}", { path: { name } }) });
}

function* tasks(state: Overview): Iterable<Concern> {
  for (const task of Object.values(state.tasks)) {
    const base = { key: `task ${task.id}`, subject: taskLink(task.id, task.title), action: look("Look at the task", taskAddress(task.id)),
      words: [task.id, task.title, task.project ?? undefined, task.claimed_by, "task"] };
    if (task.status === "blocked") {
      yield { ...base, state: "blocked", text: html`This task is blocked: ${task.blocked_reason ?? "no reason given"}.` };
    } else if (task.status === "in_progress" && task.claim_active === false) {
      yield { ...base, state: "claim expired", text: html`${task.claimed_by} let the claim of this task expire ${moment(task.claim_expires_at)}.` };
    }
  }
}

function* mailboxes(state: Overview): Iterable<Concern> {
  for (const { name, dead } of Object.values(state.mailboxes)) {
    if (dead > 0) {
      yield { key: `mailbox ${name}`, state: "dead letters", subject: html`<a href=${mailboxAddress(name)}>Mailbox ${name}</a>`,
        text: html`${dead} ${dead === 1 ? "message was" : "messages were"} given up.`, action: look("Look at the dead letters", mailboxAddress(name)),
        words: [name, "mailbox"] };
    }
  }
}

const look = (label: string, address: string) => html`<a class="button" href=${address}>${label}</a>`;

// Who may approve which runs, as far as a tab knows; the service decides.
import type { Schemas } from "./api";
import type { Overview } from "./overview";

export type Approval = Schemas["Approval"];
type Caller = Schemas["Caller"];

const matches = (pattern: string, name: string) =>
  new RegExp(`^${pattern.split("*").map((it) => it.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join(".*")}$`).test(name);

/** Why a caller cannot vote on a run, in a sentence; empty if nothing is known against it. */
export function objection(it: Approval, caller: Caller | null): string {
  if (!caller) return "Nobody is signed in.";
  if (it.requesters.includes(caller.principal)) return "You requested this run, or it was requested for you, so somebody else must vote.";
  if (!caller.approve.some((pattern) => matches(pattern, it.intent))) return `You have no right to approve runs of ${it.intent}. An operator gives it with tower token create --approve.`;
  if (!it.from.every((patterns) => patterns.some((pattern) => matches(pattern, caller.principal)))) return `You are not asked: it must be approved by ${it.asked}.`;
  return "";
}

/** Whether an open approval waits for a caller. */
export function waitsFor(it: Approval, caller: Caller | null): boolean {
  return caller !== null && objection(it, caller) === "" && !it.votes.some((vote) => vote.principal === caller.principal);
}

/** Changes when a run begins or ceases to wait for approval. */
export function approvalShape(state: Overview | null): string {
  return state ? `of ${Object.values(state.runs).filter((it) => it.status === "awaiting_approval").map((it) => it.request_id).sort().join()}` : "";
}

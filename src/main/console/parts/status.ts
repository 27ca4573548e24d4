// States as words with a colour.
import { html, type TemplateResult } from "lit";

const KINDS: Record<string, "good" | "busy" | "wary" | "bad" | "quiet"> = {
  running: "busy", waiting: "quiet", awaiting_approval: "wary", open: "wary", approved: "good", rejected: "bad", expired: "quiet", succeeded: "good", failed: "bad", cancelled: "quiet", timed_out: "bad", lock_lost: "bad",
  interrupted: "bad", refused: "wary", active: "busy", held: "busy", stale: "bad", corrupt: "bad", unsupported: "bad", frozen: "wary", halted: "bad", free: "good",
  alive: "good", gone: "bad", "as desired": "good", drifted: "bad", skipped: "quiet", pending: "quiet", in_progress: "busy", "heartbeats fail": "bad", "claim expired": "wary", "dead letters": "wary", completed: "good", blocked: "bad",
};

export const status = (name: string): TemplateResult =>
  html`<span class="status ${KINDS[name] ?? "quiet"}">${name.replaceAll("_", " ")}</span>`;

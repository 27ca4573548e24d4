package fleet.tower.answer.prime;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;

/** The fixed part of the page for agents: how to run, wait, retry and work, and what to do when refused. */
final class Instructions {
  private static final List<String> RUNNING = List.of(
      "",
      "## How to run",
      "- An intent: `tower plan INTENT -p k=v` first; it changes nothing and shows the lock, the steps and warnings."
          + " Then `tower run INTENT -p k=v --wait 10m`.",
      "- A guarded script: run it as it is. It takes its own lock.",
      "- Anything else on a shared name: `tower guard NAME --ttl 5m --wait 10m -- COMMAND`. The lock is held until it"
          + " ends. Do not lock a name that an intent locks: the intent does it.",
      "- Waiting: `--wait 10m` (HTTP: `wait_seconds`) waits in line until the lock is free.",
      "- Retrying: choose an id, `--request-id ID` (HTTP: `request_id`). If the answer is lost, repeat the same"
          + " command with the same id: it never runs twice.",
      "- Following: `tower run INTENT --detach` prints the run's id; `tower runs ID --follow` shows its output;"
          + " `tower wait ID` exits with its exit code.",
      "",
      "## Tasks and mailboxes",
      "- `tower task work --agent NAME -- COMMAND` runs a command for each available task. By hand, each with"
          + " `--agent NAME` and a new `--request-id ID`: `tower task claim`, `tower task heartbeat TASK` while you"
          + " work, `tower task close TASK --outcome done` (or `blocked`).",
      "- `tower mailbox receive BOX` leases a message and prints its receipt; then `tower mailbox ack BOX RECEIPT`, or"
          + " `nack` to return it. `tower mailbox send BOX BODY` sends one.");
  private static final List<String> REFUSED = List.of(
      "",
      "## When you are refused",
      "`tower why NAME` lists every reason and the command that helps. Never remove a lock by hand.",
      "- exit 2, held: `--wait 10m` waits in line. Frozen or halted: an operator stopped all new work on the"
          + " name; wait or ask, do not unfreeze.");
  private static final List<String> EXITS = List.of(
      "- exit 6, lost: another holder has it now. Stop, change nothing more, report it.",
      "- exit 75: the guard did not start its command; stderr says why. Its other exit codes are the command's"
          + " own.",
      "- exit 3, not found: check the name; `tower intents`, `tower runs` and `tower locks` list them. Exit 4, not yours:"
          + " leave it to its owner. Exit 64, usage: correct the command as the message says. Exit 69: the service or"
          + " the storage does not work; `tower doctor` says what to fix.");
  private static final List<String> TOOLS = List.of(
      "",
      "## How to run",
      "- An intent: `plan_intent` first; it changes nothing and shows the lock, the steps and warnings. Then the tool"
          + " of the intent, whose name has _ instead of - (or `run_intent`, if there is no such tool).",
      "- Anything else on a shared name: `acquire_lock`, `renew_lock` well before it expires, `release_lock`. Do not"
          + " lock a name that an intent locks: the intent does it.",
      "- Waiting: `tower_wait_seconds` (`wait_seconds` for a lock) waits in line until the lock is free.",
      "- Retrying: choose an id, `tower_request_id` (`request_id` for the other tools). If the answer is lost, repeat"
          + " the same call with the same id: it never runs twice.",
      "- Following: a call that answers before its run ends has the run's id; `wait_run` continues to wait,"
          + " `cancel_run` cancels, and `tower://runs/{id}/log` is the output.",
      "",
      "## Tasks and mailboxes",
      "- `claim_task`, `renew_task` while you work, `close_task`.",
      "- `receive_message` leases a message and returns its receipt; `settle_message` acknowledges or returns it."
          + " `send_message` sends one.",
      "",
      "## When you are refused",
      "Take the first of `next_actions` that fits; they can be called as they are. `explain_lock` lists every reason."
          + " Never remove a lock by hand.",
      "- `lock_blocked`: wait in line, or do something else. `lock_frozen`, `halted`: an operator stopped all new"
          + " work on the name; wait or ask.",
      "- `lock_lost`: another holder has it now. Stop, change nothing more, report it.");
  private static final String STALE = "- exit 5, stale: its holder stopped renewing. ";

  private Instructions() {}

  /** For a user of the home's files. */
  static List<String> onFiles() {
    return page("Only if it is really gone: repeat with `--force-lock`.", List.of());
  }

  /** For the bearer of a token. */
  static List<String> to(Caller caller) {
    if (!caller.role().covers(Role.AGENT)) {
      return List.of("", "## What you may do",
          "Your role can only read: `tower locks`, `tower why NAME`, `tower runs`, `tower plan INTENT`,"
              + " `tower audit`.");
    }
    return caller.mayForce()
        ? onFiles()
        : page("Ask an operator to run the same command with `--force-lock`.",
            List.of("- forbidden: your token does not permit it; the message says what it permits. Do that, or ask an"
                + " operator to do the rest."));
  }

  /** For a caller with tools instead of commands. */
  static List<String> withTools(Caller caller) {
    if (!caller.role().covers(Role.AGENT)) {
      return List.of("", "## What you may do",
          "Your role can only read: `list_locks`, `explain_lock`, `list_runs`, `get_run`, `plan_intent`,"
              + " and the resources `tower://audit` and `tower://hosts`.");
    }
    return Stream.concat(TOOLS.stream(), caller.mayForce()
        ? Stream
            .of("- `lock_stale`: its holder stopped renewing. No tool takes a lock by force: if the holder is really"
                + " gone, use `tower run --force-lock` or `tower lock --force-lock`.")
        : Stream.of("- `lock_stale`: its holder stopped renewing. Ask an operator to take the lock by force.",
            "- `forbidden`: you may not do it; the message says what you may do. Do that, or ask an operator to do the"
                + " rest."))
        .toList();
  }

  private static List<String> page(String whenStale, List<String> more) {
    List<String> page = new ArrayList<>(RUNNING);
    page.addAll(REFUSED);
    page.add(STALE + whenStale);
    page.addAll(EXITS);
    page.addAll(more);
    return page;
  }
}

package fleet.tower.cli.prime;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;

import fleet.tower.cli.reply.Answers;
import fleet.tower.cli.reply.LockText;
import fleet.tower.lease.Age;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.LockView;

/**
 * The page for agents. Each guarded name, intent and lock adds one line; their order does not matter.
 *
 * @param actor the caller
 * @param guarded guarded names and the scripts that guard them
 * @param locks the locks that are held
 */
record Briefing(String actor, SortedMap<String, SortedSet<String>> guarded, List<Offer> intents,
    List<LockView> locks) {
  private static final int LONGEST_TEXT = 80;
  private static final int MOST_PLACES = 3;
  private static final String NONE = "- none";

  private static final List<String> RUNNING = List.of(
      "",
      "## How to run",
      "- An intent: `tower plan INTENT -p k=v` first; it changes nothing and shows the lock, the steps and warnings."
          + " Then `tower run INTENT -p k=v --wait 10m`.",
      "- A guarded script: run it as it is. It takes its own lock.",
      "- Anything else on a shared name: `tower guard NAME --ttl 5m --wait 10m -- COMMAND`. The lock is held until it"
          + " ends.",
      "",
      "## When you are refused",
      "`tower why NAME` lists every reason and the command that helps. Never remove a lock by hand.",
      "- exit 2, held: `--wait 10m` waits in line. Frozen: an operator stopped all new work on the name; wait or ask, do not"
          + " unfreeze.",
      "- exit 5, stale: its holder stopped renewing. Only if it is really gone: repeat with `--force-lock`.",
      "- exit 6, lost: another holder has it now. Stop, change nothing more, report it.",
      "- exit 75: the guard did not start its command; stderr says why. Its other exit codes are the command's"
          + " own.",
      "- exit 3 not found, 4 not yours, 64 usage, 69 unusable: `tower doctor` says what to fix.");

  /** The page as Markdown. */
  List<String> markdown() {
    List<String> page = new ArrayList<>(List.of("# Locks and intents of this project",
        "",
        "Work on a shared name runs under its lock, one holder at a time.",
        "You are `" + brief(actor)
            + "`; set `TOWER_ACTOR` to a name of your own, so that others know who holds a lock.",
        "",
        "## Guarded names"));
    guarded.forEach((name, places) -> page.add("- `" + name + "`: " + places(places)));
    page.addAll(guarded.isEmpty() ? List.of(NONE, "") : List.of(""));
    page.add("## Intents");
    intents.forEach(intent -> page.add(line(intent)));
    page.addAll(intents.isEmpty() ? List.of(NONE) : List.of());
    page.addAll(RUNNING);
    page.addAll(List.of("", "## Held or frozen now"));
    locks.forEach(lock -> page.add(line(lock)));
    page.addAll(locks.isEmpty() ? List.of(NONE) : List.of());
    return page;
  }

  /** The page as plain text. */
  List<String> text() {
    return markdown().stream().map(line -> line.replaceFirst("^#+ ", "").replace("`", "")).toList();
  }

  private static String places(SortedSet<String> places) {
    String first = String.join(", ", places.stream().limit(MOST_PLACES).toList());
    return "run " + first + (places.size() > MOST_PLACES ? ", and " + (places.size() - MOST_PLACES) + " more" : "");
  }

  private static String line(Offer intent) {
    String lock = intent.lock() == null ? "no lock" : "lock `" + brief(intent.lock()) + "`";
    String about = intent.description().isEmpty() ? "" : brief(intent.description()) + "; ";
    return "- `" + intent.name() + "`: " + about + intent.mode() + ", " + lock + ": `" + intent.command() + "`";
  }

  private static String line(LockView lock) {
    String occupancy = lock.state() + switch (lock.occupancy()) {
      case LeaseState.Held(Lease lease, Age age) -> ", held by " + brief(lease.holder().actor())
          + " for " + Answers.heldFor(lease, age) + " (intent " + brief(lease.holder().intent()) + ")";
      case LeaseState.Corrupt _,LeaseState.Unsupported _ -> "; ask an operator";
      case LeaseState.Vacant() -> "";
    };
    String frost = lock.isFrozen() ? ", " + brief(LockText.frozen(lock.frost())) : "";
    return "- `" + lock.name() + "`: " + occupancy + frost;
  }

  /** Text from outside, on one line, without backquotes, and shortened. */
  private static String brief(String text) {
    String line = text.replaceAll("[\\s\\p{Cntrl}]+", " ").replace('`', '\'').strip();
    return line.length() <= LONGEST_TEXT ? line : line.substring(0, LONGEST_TEXT - 1) + "…";
  }
}

package fleet.tower.cli.prime;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.Caller;
import fleet.tower.access.LockPattern;
import fleet.tower.access.Role;
import fleet.tower.platform.time.Timestamps;

/**
 * The reader of the page, and what it may run.
 *
 * @param actor the actor of its commands
 *
 * @param caller the caller that the service sees; null on the home's files, where nothing is limited
 */
record Reader(String actor, @Nullable Caller caller) {

  /** Who the reader is, and its limits. */
  List<String> introduction() {
    if (caller == null) {
      return List.of("You are `" + Briefing.brief(actor)
          + "`; set `TOWER_ACTOR` to a name of your own, so that others know who holds a lock.");
    }
    List<String> lines = new ArrayList<>();
    lines.add("You are `" + Briefing.brief(caller.name()) + "` (" + caller.role() + "), the name of your token"
        + (caller.credential().expires() == null
            ? ""
            : ", which expires at " + Timestamps.format(caller.credential().expires()))
        + "." + (caller.onBehalfOf() == null
            ? ""
            : " `TOWER_ACTOR` says on whose behalf you act, now `" + Briefing.brief(caller.onBehalfOf()) + "`."));
    if (!caller.scope().intents().isEmpty()) {
      lines.add("You may run " + caller.scope().intents().stream().map(AllowedIntents::toString)
          .collect(Collectors.joining("; ")) + ".");
    }
    if (!caller.scope().locks().isEmpty()) {
      lines.add("You may hold the locks " + caller.scope().locks().stream().map(LockPattern::text)
          .collect(Collectors.joining(", ")) + " yourself; a run takes its own lock.");
    }
    return lines;
  }

  /** Whether the intent is of use to the reader. A viewer may plan all of them. */
  boolean mayUse(Offer intent) {
    return caller == null || !mayRun() || caller.mayRun(intent.name());
  }

  boolean mayHold(String lock) {
    return caller == null || caller.mayHold(lock);
  }

  private boolean mayRun() {
    return caller == null || caller.role().covers(Role.AGENT);
  }

  /** What the reader may do with an intent. */
  String verb() {
    return mayRun() ? "run" : "plan";
  }

  /** The values that the reader may give to an intent, after its parameters; empty if any. */
  String limits(Offer intent) {
    List<AllowedIntents> limits = caller == null ? List.of() : caller.scope().limitsOf(intent.name());
    return limits.isEmpty()
        ? ""
        : "; yours: " + limits.stream().map(AllowedIntents::limits).collect(Collectors.joining("; or "));
  }

  List<String> instructions() {
    return caller == null ? Instructions.onFiles() : Instructions.to(caller);
  }
}

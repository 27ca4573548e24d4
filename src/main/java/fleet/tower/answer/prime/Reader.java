package fleet.tower.answer.prime;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.Caller;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.answer.CommandLine;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.time.Timestamps;

/**
 * The reader of the page, and what it may run.
 *
 * @param actor the actor of its commands
 *
 * @param caller the caller that the service sees; null on the home's files, where nothing is limited
 *
 * @param means what the reader works with
 */
public record Reader(String actor, @Nullable Caller caller, Means means) {

  /** What an agent works with. */
  public enum Means {
    COMMANDS, TOOLS
  }

  /** A reader with commands. */
  public Reader(String actor, @Nullable Caller caller) {
    this(actor, caller, Means.COMMANDS);
  }

  /** A caller with tools. */
  public static Reader withTools(Caller caller) {
    return new Reader(caller.name(), caller, Means.TOOLS);
  }

  /** Who the reader is, and its limits. */
  List<String> introduction() {
    if (caller == null) {
      return List.of("You are `" + Briefing.brief(actor)
          + "`; set `TOWER_ACTOR` to a name of your own, so that others know who holds a lock.");
    }
    List<String> lines = new ArrayList<>();
    lines.add(switch (means) {
      case COMMANDS ->
        named(caller, ", the name of your token", ", which", " `TOWER_ACTOR` says on whose behalf you act,"
            + " now ");
      case TOOLS -> named(caller, "", "; your token", " You act on behalf of ");
    });
    if (!caller.scope().intents().isEmpty()) {
      lines.add("You may run " + caller.scope().intents().stream().map(AllowedIntents::toString)
          .collect(Collectors.joining("; ")) + ".");
    }
    if (!caller.scope().locks().isEmpty()) {
      lines.add("You may hold the locks " + NamePattern.joined(caller.scope().locks())
          + " yourself; a run takes its own lock.");
    }
    if (!caller.scope().mailboxes().isEmpty()) {
      lines.add("You may use the mailboxes " + NamePattern.joined(caller.scope().mailboxes()) + ".");
    }
    if (!caller.scope().tasks().isEmpty()) {
      lines.add("You may work on tasks of the projects " + NamePattern.joined(caller.scope().tasks()) + ".");
    }
    return lines;
  }

  private static String named(Caller caller, String name, String token, String behalf) {
    Instant expires = caller.credential().expires();
    return "You are `" + Briefing.brief(caller.name()) + "` (" + caller.role() + ")" + name
        + (expires == null ? "" : token + " expires at " + Timestamps.format(expires)) + "."
        + (caller.onBehalfOf() == null ? "" : behalf + "`" + Briefing.brief(caller.onBehalfOf()) + "`.");
  }

  /** Whether the intent is useful to the reader. A viewer may plan all of them. */
  boolean mayUse(Offer intent) {
    return caller == null || !mayRun() || caller.mayRun(intent.name());
  }

  boolean mayHold(String lock) {
    return caller == null || caller.mayHold(lock);
  }

  private boolean mayRun() {
    return caller == null || caller.role().covers(Role.AGENT);
  }

  /** The command for an intent, after its lock; empty for a reader with tools. */
  String command(Offer intent) {
    return switch (means) {
      case COMMANDS -> ": `" + intent.command(mayRun() ? "run" : "plan") + "`";
      case TOOLS -> "";
    };
  }

  /** Where the reader finds the intents that it may not run. */
  String elsewhere() {
    return switch (means) {
      case COMMANDS -> " in `" + new CommandLine(RunOperations.LIST_INTENTS) + "`";
      case TOOLS -> "";
    };
  }

  /** The values that the reader may give to an intent, after its parameters; empty if any. */
  String limits(Offer intent) {
    List<AllowedIntents> limits = caller == null ? List.of() : caller.scope().limitsOf(intent.name());
    return limits.isEmpty()
        ? ""
        : "; yours: " + limits.stream().map(AllowedIntents::limits).collect(Collectors.joining("; or "));
  }

  List<String> instructions() {
    return caller == null ? Instructions.onFiles() : switch (means) {
      case COMMANDS -> Instructions.to(caller);
      case TOOLS -> Instructions.withTools(caller);
    };
  }
}

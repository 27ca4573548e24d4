package fleet.tower.cli.shell;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.answer.CommandLine;
import fleet.tower.answer.NextAction;
import fleet.tower.answer.RefusedRequest;
import fleet.tower.answer.Remedy;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.time.TimeSpans;

/**
 * A command line as it was typed.
 *
 * @param arguments null if they could not be parsed
 * @param isRepeatable whether it may be shown again; false if it contains a secret
 *
 * @param role what its user may do
 *
 * @param actor as whom its user acts; null if that is not known
 */
record TypedCommand(Command command, @Nullable Arguments arguments, boolean isRepeatable, Role role,
    @Nullable String actor) implements RefusedRequest {
  private static final String WAIT = "wait";
  private static final String REQUEST_ID = "request-id";
  private static final String INTENT = "intent";
  /** The options that change the plan of a run. */
  private static final Set<String> PLANNED = Set.of("param", "params-file", "force-lock");

  @Override
  public boolean permits(@Nullable Role needed) {
    return needed == null || role.covers(needed);
  }

  @Override
  public boolean isCaller(String who) {
    return who.equals(actor);
  }

  @Override
  public boolean permitsIntent(String intent) {
    return true;
  }

  @Override
  public NextAction listing() {
    return NextAction.command("tower " + command.name() + " --help", "see how it is used");
  }

  @Override
  public NextAction again(List<Remedy.Change> changes, @Nullable String intent, String why) {
    if (arguments == null) {
      return NextAction.advice(why);
    }
    Edited line = new Edited(arguments);
    String reason = why;
    for (Remedy.Change change : changes) {
      switch (change) {
        case Remedy.Change.Waiting(long seconds) -> line.set(WAIT, TimeSpans.format(Duration.ofSeconds(seconds)));
        case Remedy.Change.Forced(boolean force) -> line.force(force);
        case Remedy.Change.NewId() -> {
          line.set(REQUEST_ID, NextAction.NEW);
          reason = NextAction.explained(reason, true);
        }
        case Remedy.Change.Queued() -> line.set("queue", "");
        case Remedy.Change.Planned(String shown) -> {
          return NextAction.command(shown == null ? line.plan() : shown, why);
        }
      }
    }
    if (!isRepeatable) {
      return NextAction.advice(reason + ", by the same command" + line.additions()
          + "; it is not repeated here, because it contains a secret");
    }
    return NextAction.command(line.text(intent), arguments.value("params-file").filter("-"::equals).isPresent()
        ? reason + ", with the same input"
        : reason);
  }

  /** The arguments with other options. */
  private final class Edited {
    private final Arguments from;
    private final List<String> omitted = new ArrayList<>();
    private final CommandLine added = new CommandLine("");

    Edited(Arguments from) {
      this.from = from;
    }

    void set(String name, String value) {
      Optional<Option> option = option(name);
      if (option.isPresent()) {
        omitted.add(name);
        if (option.get().kind() == Option.Kind.FLAG) {
          added.flag("--" + name);
        } else {
          added.option("--" + name, value);
        }
      }
    }

    void force(boolean force) {
      omitted.add("force");
      if (force) {
        set("force-lock", "");
      } else {
        omitted.add("force-lock");
      }
    }

    String additions() {
      String words = added.toString().substring("tower ".length());
      return words.isBlank() ? "" : " with" + words;
    }

    String text(@Nullable String intent) {
      CommandLine line = new CommandLine(command.name());
      List<String> operands = from.operands();
      boolean isOption = from.has(INTENT);
      for (int i = 0; i < operands.size(); i++) {
        line.operand(i == 0 && intent != null && !isOption ? intent : operands.get(i));
      }
      if (intent != null && isOption) {
        set(INTENT, intent);
      }
      from.names().stream().filter(name -> !omitted.contains(name)).forEach(name -> given(line, name));
      String words = added.toString().substring("tower ".length());
      if (!words.isBlank()) {
        line.flag(words.strip());
      }
      return line.executing(from.command()).toString();
    }

    /** The plan of the run, with the parameters as they were given unless they may not be shown. */
    String plan() {
      CommandLine line = new CommandLine(RunOperations.PLAN).operand(from.operand(0));
      if (isRepeatable) {
        from.names().stream().filter(PLANNED::contains).forEach(name -> given(line, name));
      }
      return line.toString();
    }

    private void given(CommandLine line, String name) {
      Option option = option(name).orElseThrow();
      String called = option.letter().isEmpty() ? "--" + name : "-" + option.letter();
      from.values(name).forEach(value -> {
        if (value.isEmpty() && option.kind() != Option.Kind.TEXT && option.kind() != Option.Kind.REPEATED) {
          line.flag(called);
        } else {
          line.option(called, value);
        }
      });
    }
  }

  private Optional<Option> option(String name) {
    List<Option> known = new ArrayList<>(command.options());
    known.addAll(Command.COMMON);
    return known.stream().filter(it -> it.name().equals(name)).findFirst();
  }
}

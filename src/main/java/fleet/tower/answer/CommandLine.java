package fleet.tower.answer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Ask;
import fleet.tower.operation.Given;
import fleet.tower.operation.Kind;
import fleet.tower.operation.Operation;

/** A command line under construction, quoted for a shell. */
public final class CommandLine {
  private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

  private final List<String> words = new ArrayList<>();

  /** @param command the words of the command, which need no quotes */
  public CommandLine(String command) {
    words.add("tower " + command);
  }

  /** The command that asks for an operation; empty if no command takes all its arguments. */
  public static Optional<String> of(Ask ask) {
    Operation operation = ask.operation();
    if (operation.command() == null || !operation.takes(ask.given(), Via.COMMAND)) {
      return Optional.empty();
    }
    CommandLine line = new CommandLine(operation.command());
    operation.at(Via.COMMAND).filter(ask.given()::has).sorted(Comparator.comparing(arg -> !arg.isOperand()))
        .forEach(arg -> line.argument(arg, ask.given()));
    return Optional.of(line.toString());
  }

  private <T> void argument(Arg<T> arg, Given given) {
    T value = given.get(arg);
    if (arg.isOperand()) {
      operand(arg.kind().option(value));
    } else if (arg.kind() instanceof Kind.Flag) {
      flag("--" + arg.option());
    } else {
      option("--" + arg.option(), arg.kind().option(value));
    }
  }

  /** Adds an operand. */
  public CommandLine operand(String text) {
    words.add(quoted(text));
    return this;
  }

  /** Adds a flag. */
  public CommandLine flag(String option) {
    words.add(option);
    return this;
  }

  /** Adds an option and its value; one that could be mistaken for an option is attached with an equals sign. */
  public CommandLine option(String option, String value) {
    words.add(value.isEmpty() || value.startsWith("-") ? option + "=" + quoted(value) : option + " " + quoted(value));
    return this;
  }

  /** Adds the command to execute. */
  public CommandLine executing(List<String> command) {
    if (!command.isEmpty()) {
      words.add("--");
      command.forEach(this::operand);
    }
    return this;
  }

  /** A word as a shell reads it. */
  public static String quoted(String word) {
    return word.matches(PLAIN) ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  @Override
  public String toString() {
    return String.join(" ", words);
  }
}

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
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;

/** A command line under construction, quoted for a shell. */
public final class CommandLine {
  private static final String PLAIN = "[A-Za-z0-9_@%+=:,./-]+";

  private final List<String> words = new ArrayList<>();

  /** @param command the words of the command, which need no quotes */
  public CommandLine(String command) {
    words.add("tower " + command);
  }

  /** @param operation its command */
  public CommandLine(Operation operation) {
    this(operation.words());
  }

  /** The command that asks for an operation, of which a command takes all arguments. */
  public static String of(Operation operation, Given given) {
    return of(new Ask(operation, given)).orElseThrow();
  }

  /** The command that asks for an operation; empty if no command takes all its arguments. */
  public static Optional<String> of(Ask ask) {
    Operation operation = ask.operation();
    if (operation.command() == null || !operation.takes(ask.given(), Via.COMMAND)) {
      return Optional.empty();
    }
    CommandLine line = new CommandLine(operation);
    return operation.at(Via.COMMAND).filter(ask.given()::has).sorted(Comparator.comparing(arg -> !arg.isOperand()))
        .allMatch(arg -> line.argument(arg, ask.given())) ? Optional.of(line.toString()) : Optional.empty();
  }

  /** Adds an argument, unless its value is the usual one; false if no command takes the value. */
  private <T> boolean argument(Arg<T> arg, Given given) {
    T value = given.get(arg);
    String name = String.valueOf(arg.option());
    String option = name.startsWith("-") ? name : "--" + name;
    if (arg.isOperand() && arg.kind() instanceof Kind.Json) {
      return json(String.valueOf(value));
    } else if (arg.isOperand()) {
      operand(arg.kind().option(value));
    } else if (value.equals(arg.otherwise())) {
      return true;
    } else if (arg.kind() instanceof Kind.Flag) {
      flag(option);
    } else if (value instanceof JsonObject members) {
      return members.members().keySet().stream().allMatch(member -> member(option, members, member));
    } else {
      option(option, arg.kind().option(value));
    }
    return true;
  }

  /** A command sends an object or a list as JSON, and anything else as a text without quotes. */
  private boolean json(String json) {
    boolean isStructure = json.startsWith("{") || json.startsWith("[");
    String text = isStructure ? json : JsonReader.readOwn("{\"text\":" + json + "}").text("text").orElse("-");
    operand(text);
    return isStructure || !text.strip().matches("(?s)-|[\\[{].*");
  }

  private boolean member(String option, JsonObject members, String name) {
    Optional<String> value = switch (members.members().get(name)) {
      case JsonValue.Text text -> Optional.of(text.value());
      case JsonValue.Numeral number -> Optional.of(number.literal());
      case JsonValue.Bool bool -> Optional.of(Boolean.toString(bool.value()));
      case JsonObject _,JsonValue.Items _,JsonValue.Null _ -> Optional.empty();
      case null -> Optional.empty();
    };
    boolean isOption = !name.isEmpty() && !name.contains("=");
    value.filter(_ -> isOption).ifPresent(text -> option(option, name + "=" + text));
    return isOption && value.isPresent();
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

package fleet.tower.cli.shell;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.answer.UsageError;
import fleet.tower.platform.time.TimeSpans;

/** The arguments of a command, checked against its declaration. */
public final class Arguments {
  private final List<String> operands;
  private final List<String> command;
  private final Map<String, List<String>> options;

  Arguments(List<String> operands, List<String> command, Map<String, List<String>> options) {
    this.operands = List.copyOf(operands);
    this.command = List.copyOf(command);
    this.options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
  }

  /** All operands, for a command that takes any number of them. */
  public List<String> operands() {
    return operands;
  }

  /** The command to execute, given after {@code --}. */
  public List<String> command() {
    return command;
  }

  /** A required operand. */
  public String operand(int index) {
    return operands.get(index);
  }

  /** An optional operand. */
  public Optional<String> optionalOperand(int index) {
    return index < operands.size() ? Optional.of(operands.get(index)) : Optional.empty();
  }

  /** The names of the options, in the order of the command line. */
  List<String> names() {
    return List.copyOf(options.keySet());
  }

  public boolean has(String option) {
    return options.containsKey(option);
  }

  /** The same arguments and a flag. */
  public Arguments with(String flag) {
    Map<String, List<String>> more = new LinkedHashMap<>(options);
    more.putIfAbsent(flag, List.of(""));
    return new Arguments(operands, command, more);
  }

  /** The same arguments and the value of an option. */
  public Arguments with(String option, String value) {
    Map<String, List<String>> more = new LinkedHashMap<>(options);
    more.put(option, List.of(value));
    return new Arguments(operands, command, more);
  }

  /** The same arguments with these operands. */
  public Arguments on(String... others) {
    return new Arguments(List.of(others), command, options);
  }

  /** The value of an option, if given and not empty. */
  public Optional<String> value(String option) {
    return values(option).stream().findFirst().filter(value -> !value.isEmpty());
  }

  /** The value of an option, if given; it may be empty. */
  public Optional<String> text(String option) {
    return values(option).stream().findFirst();
  }

  /** All values of a repeatable option, in the order of the command line. */
  public List<String> values(String option) {
    return options.getOrDefault(option, List.of());
  }

  /** The value of a required option. */
  public String required(String option) {
    return value(option).orElseThrow(() -> new IllegalStateException("--" + option + " is not marked as required"));
  }

  /** The value of an option as a time span. */
  public Optional<Duration> duration(String option) {
    return value(option).map(text -> TimeSpans.parse(text)
        .orElseThrow(
            () -> new UsageError("--" + option + " '" + text
                + "' is not a time span such as 90s, 15m or 8h; a number without a unit is seconds")));
  }

  /** The value of an option as a whole number that is not negative. */
  public Optional<Long> number(String option) {
    return value(option).map(text -> {
      if (!text.matches("\\d{1,18}")) {
        throw new UsageError("--" + option + " '" + text + "' is not a whole number");
      }
      return Long.parseLong(text);
    });
  }
}

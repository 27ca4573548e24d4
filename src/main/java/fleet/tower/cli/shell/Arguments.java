package fleet.tower.cli.shell;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What was given to a command, checked against what it takes. */
public final class Arguments {
  private final List<String> operands;
  private final List<String> command;
  private final Map<String, List<String>> options;

  Arguments(List<String> operands, List<String> command, Map<String, List<String>> options) {
    this.operands = List.copyOf(operands);
    this.command = List.copyOf(command);
    this.options = Map.copyOf(options);
  }

  /** All operands, for a command that takes any number of them. */
  public List<String> operands() {
    return operands;
  }

  /** Somebody else's command, as it stood behind the {@code --}. */
  public List<String> command() {
    return command;
  }

  /** An operand that must be there. */
  public String operand(int index) {
    return operands.get(index);
  }

  /** An operand that may be left out. */
  public Optional<String> optionalOperand(int index) {
    return index < operands.size() ? Optional.of(operands.get(index)) : Optional.empty();
  }

  public boolean has(String option) {
    return options.containsKey(option);
  }

  /** The value of an option, if it was given one. */
  public Optional<String> value(String option) {
    return values(option).stream().findFirst().filter(value -> !value.isEmpty());
  }

  /** The value of an option that may be empty, if it was given. */
  public Optional<String> text(String option) {
    return values(option).stream().findFirst();
  }

  /** Every value of an option that may be given many times, in the order of the line. */
  public List<String> values(String option) {
    return options.getOrDefault(option, List.of());
  }

  /** The value of an option that must be given. */
  public String required(String option) {
    return value(option).orElseThrow(() -> new IllegalStateException("--" + option + " is not marked as needed"));
  }

  /** The value of an option as a time span. */
  public Optional<Duration> duration(String option) {
    return value(option).map(text -> Durations.parse(text)
        .orElseThrow(() -> new UsageError("--" + option + " '" + text + "' is no time span like 90s, 15m or 8h")));
  }

  /** The value of an option as a whole number that is not negative. */
  public Optional<Long> number(String option) {
    return value(option).map(text -> {
      if (!text.matches("\\d{1,18}")) {
        throw new UsageError("--" + option + " '" + text + "' is no whole number");
      }
      return Long.parseLong(text);
    });
  }
}

package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.answer.Reply;

/**
 * A command as data: its name, operands, options, summary and action.
 *
 * @param name one word, or two if several commands form a group
 * @param operands their names in order; one in brackets is optional, and the last may end in dots within the brackets,
 *        which allows any number of them. One that starts with {@code --}, in brackets or not, stands for the command
 *        to execute, given after {@code --}
 */
public record Command(String name, List<String> operands, String summary, List<Option> options, Action action) {
  /** The options that every command takes. */
  public static final List<Option> COMMON = List.of(
      Option.value("home", "DIR", "the home to use (default: TOWER_HOME, else the nearest one)"),
      Option.flag("json", "print the answer as one JSON object on stdout"), Option.flag("help", "show this help"));

  public Command {
    operands = List.copyOf(operands);
    options = List.copyOf(options);
  }

  /** The action of a command. */
  public interface Action {
    Reply run(Arguments arguments);
  }

  /** The same command with another action. */
  public Command acting(Action other) {
    return new Command(name, operands, summary, options, other);
  }

  /** The same command with one more option. */
  public Command with(Option option) {
    List<Option> more = new ArrayList<>(options);
    more.add(option);
    return new Command(name, operands, summary, more, action);
  }

  /** The same command with one more operand. */
  public Command with(String operand) {
    List<String> more = new ArrayList<>(operands);
    more.add(operand);
    return new Command(name, more, summary, options, action);
  }

  /** The number of required operands. */
  int required() {
    return (int) operands.stream().filter(operand -> !operand.startsWith("[") && !operand.startsWith("--")).count();
  }

  /** Whether a command to execute may follow. */
  boolean takesCommand() {
    return !operands.isEmpty() && operands.getLast().matches("\\[?--.*");
  }

  /** Whether a command to execute must follow. */
  boolean needsCommand() {
    return takesCommand() && operands.getLast().startsWith("--");
  }

  /** The largest number of operands. */
  int most() {
    if (takesCommand()) {
      return operands.size() - 1;
    }
    return !operands.isEmpty() && operands.getLast().endsWith("...]") ? Integer.MAX_VALUE : operands.size();
  }

  /** The usage line. */
  String usage() {
    StringBuilder usage = new StringBuilder("tower " + name);
    operands.subList(0, takesCommand() ? operands.size() - 1 : operands.size())
        .forEach(operand -> usage.append(' ').append(operand));
    options.stream().filter(Option::isNeeded).forEach(option -> usage.append(' ').append(option.usage()));
    options.stream().filter(option -> !option.isNeeded())
        .forEach(option -> usage.append(" [").append(option.usage()).append(']'));
    usage.append(" [--json]");
    return takesCommand() ? usage.append(' ').append(operands.getLast()).toString() : usage.toString();
  }
}

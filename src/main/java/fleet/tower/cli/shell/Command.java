package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.List;

/**
 * A command as data: what it takes, what it is for, what it does.
 *
 * @param name one word, or two where several commands are a group
 * @param operands their names in order; one in brackets may be left out, and the last, where it ends in dots within
 *        them, may be given any number of times. One that begins with {@code --}, in brackets or not, stands for all that is
 *        behind a {@code --} on the line: somebody else's command
 */
public record Command(String name, List<String> operands, String summary, List<Option> options, Action action) {
  /** What every command takes. */
  public static final List<Option> COMMON = List.of(
      Option.value("home", "DIR", "the home to work on (default: TOWER_HOME, else the nearest one)"),
      Option.flag("json", "answer with one JSON object on stdout"), Option.flag("help", "show this help"));

  public Command {
    operands = List.copyOf(operands);
    options = List.copyOf(options);
  }

  /** What a command does with its arguments. */
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

  /** How many operands must be there. */
  int required() {
    return (int) operands.stream().filter(operand -> !operand.startsWith("[") && !operand.startsWith("--")).count();
  }

  /** Whether somebody else's command follows, or may. */
  boolean takesCommand() {
    return !operands.isEmpty() && operands.getLast().matches("\\[?--.*");
  }

  /** Whether somebody else's command must follow. */
  boolean needsCommand() {
    return takesCommand() && operands.getLast().startsWith("--");
  }

  /** How many operands there may be. */
  int most() {
    if (takesCommand()) {
      return operands.size() - 1;
    }
    return !operands.isEmpty() && operands.getLast().endsWith("...]") ? Integer.MAX_VALUE : operands.size();
  }

  /** One line that shows how it is used. */
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

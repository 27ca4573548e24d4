package fleet.tower.cli.shell;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.UsageError;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Given;
import fleet.tower.operation.Kind;
import fleet.tower.operation.Operation;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;

/** Commands that are views of operations: their operands, options, help and arguments follow from these. */
public final class OperationCommand {
  private OperationCommand() {}

  /** The command of an operation. */
  public static Command of(Operation operation, Command.Action action) {
    String words = operation.command();
    if (words == null) {
      throw new IllegalStateException(operation.id() + " has no command");
    }
    List<String> operands = operation.at(Via.COMMAND).filter(arg -> arg.option() == null).map(Arg::placeholder)
        .toList();
    return new Command(words, operands, operation.says(),
        operation.at(Via.COMMAND).filter(arg -> arg.option() != null).map(OperationCommand::option).toList(), action);
  }

  private static <T> Option option(Arg<T> arg) {
    String name = String.valueOf(arg.option());
    String says = arg.says() + limits(arg);
    Option option = switch (arg.kind()) {
      case Kind.Flag _ -> Option.flag(name, says);
      case Kind.Texts _,Kind.Members _ -> Option.repeated("", name, arg.placeholder(), says);
      case Kind.Whole _ when arg.bare() != null -> Option.optionalDuration(name, says);
      case Kind.Text _ when arg.otherwise() != null -> Option.text(name, arg.placeholder(), says);
      case Kind.Text _,Kind.Whole _,Kind.Word _,Kind.Json _,Kind.Moment _ ->
        Option.value(name, arg.placeholder(), says);
    };
    return arg.isRequired() ? option.needed(": " + arg.says()) : option;
  }

  /** The default and the greatest value of an option. */
  private static <T> String limits(Arg<T> arg) {
    T usual = arg.bare() == null ? arg.otherwise() : arg.bare();
    List<String> limits = new ArrayList<>();
    if (usual != null && !(arg.kind() instanceof Kind.Flag)) {
      limits.add("default " + arg.kind().option(usual));
    }
    if (arg.kind() instanceof Kind.Whole whole && whole.isSpan()) {
      limits.add("at most " + whole.option(whole.max()));
    }
    return limits.isEmpty() ? "" : " (" + String.join(", ", limits) + ")";
  }

  /** The arguments of a command line. */
  public static Given given(Operation operation, Arguments arguments) {
    Given given = Given.NOTHING;
    int operand = 0;
    for (Arg<?> arg : operation.at(Via.COMMAND).toList()) {
      String name = arg.option();
      if (name == null) {
        given = read(given, arg, arg.placeholder(), List.of(arguments.operand(operand++)));
      } else if (arguments.has(name)) {
        given = option(given, arg, "--" + name, arguments.values(name));
      }
    }
    return given;
  }

  private static <T> Given option(Given given, Arg<T> arg, String called, List<String> values) {
    @Nullable
    T bare = arg.bare();
    if (bare != null && values.getFirst().isEmpty()) {
      return given.with(arg, bare);
    }
    return read(given, arg, called, values);
  }

  private static <T> Given read(Given given, Arg<T> arg, String called, List<String> values) {
    T value = arg.kind().readOption(values);
    if (value == null) {
      throw new UsageError(ErrorCode.INVALID_REQUEST, called + " must be " + arg.kind().expectedOption() + ", not "
          + InvalidValue.shown(String.join(" ", values)));
    }
    return given.with(arg, value);
  }
}

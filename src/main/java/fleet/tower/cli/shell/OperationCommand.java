package fleet.tower.cli.shell;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.UsageError;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Given;
import fleet.tower.operation.Kind;
import fleet.tower.operation.Operation;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/** Commands that are views of operations: their operands, options, help and arguments follow from these. */
public final class OperationCommand {
  private OperationCommand() {}

  /** The command of an operation. */
  public static Command of(Operation operation, Command.Action action) {
    List<String> operands = operation.at(Via.COMMAND).filter(Arg::isOperand).map(Arg::placeholder).toList();
    return new Command(operation.words(), operands, operation.says(),
        operation.at(Via.COMMAND).flatMap(OperationCommand::options).toList(), action);
  }

  private static Stream<Option> options(Arg<?> arg) {
    if (arg.isOperand() && arg.kind() instanceof Kind.Json) {
      return JsonOperand.of(arg).options().stream();
    }
    return arg.option() == null ? Stream.empty() : Stream.of(option(arg));
  }

  /** The option that gives an argument. */
  public static <T> Option option(Arg<T> arg) {
    String name = String.valueOf(arg.option());
    String says = arg.says() + forms(arg) + limits(arg);
    if (arg.kind() instanceof Kind.Flag) {
      return Option.flag(name, says);
    }
    if (arg.kind().isRepeated()) {
      return Option.repeated("", name, arg.called(), says);
    }
    if (arg.bare() != null) {
      return Option.optionalDuration(name, says);
    }
    Option option = arg.kind() instanceof Kind.Text && arg.otherwise() != null
        ? Option.text(name, arg.called(), says)
        : Option.value(name, arg.called(), says);
    return arg.isRequired() && !arg.isOperand() ? option.needed(": " + arg.says()) : option;
  }

  /** The values of an option, where its placeholder does not show them. */
  private static String forms(Arg<?> arg) {
    return arg.kind() instanceof Kind.Moment
        ? ": 8h, or 2026-01-31T08:00:00Z"
        : arg.kind() instanceof Kind.Word(List<String> words) && !arg.placeholder().contains("|")
            ? ": " + String.join(", ", words)
            : "";
  }

  /** The default and the greatest value of an option. */
  private static <T> String limits(Arg<T> arg) {
    T usual = arg.bare() == null ? arg.otherwise() : arg.bare();
    List<String> limits = new ArrayList<>();
    if (usual != null && !Set.of(0L, false, "").contains(usual)) {
      limits.add("default " + arg.kind().option(usual));
    }
    if (arg.kind() instanceof Kind.Whole whole && whole.isSpan()) {
      limits.add("at most " + whole.option(whole.max()));
    }
    return limits.isEmpty() ? "" : " (" + String.join(", ", limits) + ")";
  }

  /** The arguments of a command line; a moment may be given as a time span before now. */
  public static Given given(Operation operation, Arguments arguments, Supplier<Instant> now) {
    return given(operation.at(Via.COMMAND).toList(), arguments, now);
  }

  /** The values of these arguments. */
  public static Given given(List<Arg<?>> args, Arguments arguments, Supplier<Instant> now) {
    Given given = Given.NOTHING;
    Deque<String> operands = new ArrayDeque<>(arguments.operands());
    String twice = "";
    for (Arg<?> arg : args) {
      String name = arg.option();
      if (name != null && arguments.has(name)) {
        given = option(given, arg, "--" + name, arg.kind() instanceof Kind.Moment
            ? arguments.values(name).stream().map(text -> moment(text, now)).toList()
            : arguments.values(name));
        twice = arg.isOperand() ? "; " + arg.called() + " is given as --" + name : twice;
      } else if (arg.isOperand()) {
        given = operand(given, arg, operands, arguments);
      }
    }
    if (!operands.isEmpty()) {
      throw new UsageError("'" + operands.getFirst() + "' is one argument too many" + twice);
    }
    return given;
  }

  private static <T> Given operand(Given given, Arg<T> arg, Deque<String> operands, Arguments arguments) {
    if (arg.kind() instanceof Kind.Json) {
      return json(given, arg, JsonOperand.of(arg).read(operands.poll(), arguments));
    }
    List<String> values = new ArrayList<>();
    boolean takesAll = arg.kind() instanceof Kind.Texts;
    while (!operands.isEmpty() && (takesAll || values.isEmpty())) {
      values.add(operands.removeFirst());
    }
    if (!values.isEmpty()) {
      return read(given, arg, arg.called(), values);
    }
    if (arg.isRequired()) {
      throw new UsageError(arg.called() + " is missing: " + arg.says());
    }
    return given;
  }

  private static <T> Given json(Given given, Arg<T> arg, String json) {
    JsonObject in = JsonReader.readOwn("{\"value\":" + json + "}");
    T value = arg.kind().read(Objects.requireNonNull(in.get("value")), in);
    return given.with(arg, Objects.requireNonNull(value));
  }

  private static String moment(String text, Supplier<Instant> now) {
    return TimeSpans.parse(text).map(ago -> Timestamps.format(now.get().minus(ago))).orElse(text);
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
          + InvalidValue.shown(String.join(" ", values))
          + arg.kind().nearest(values.getFirst()).map(near -> "; did you mean " + near + "?").orElse(""));
    }
    return given.with(arg, value);
  }
}

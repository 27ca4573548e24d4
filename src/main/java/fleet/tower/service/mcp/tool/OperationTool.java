package fleet.tower.service.mcp.tool;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.answer.Sentences;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.Outcome;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Rows;
import fleet.tower.service.mcp.wire.Exchange;

/** Tools that are views of operations: their schemas, their arguments and their results follow from these. */
public final class OperationTool {
  private static final Set<String> IN_LIST = Set.of("type", "enum", "items");

  private OperationTool() {}

  /**
   * The tool of an operation.
   *
   * @param clients the client of a call
   * @param limited what a tool gives instead of some arguments
   * @param estimates when a lock may be free
   */
  public static FixedTool of(Operation operation, Operations operations, Function<Exchange, Handler.Client> clients,
      UnaryOperator<Given> limited, LockEstimates estimates) {
    return of(operation, (given, exchange) -> result(operation, Answer.of(operations.handle(operation,
        new Handler.Request(limited.apply(given), exchange.caller(), clients.apply(exchange))), estimates,
        estimates.moment())));
  }

  /** The tool of an operation that does more than the operation, with its arguments. */
  public static FixedTool of(Operation operation, BiFunction<Given, Exchange, ToolResult> work) {
    List<Arg<?>> args = args(operation);
    return new FixedTool(definition(operation), operation.role(),
        (arguments, exchange) -> work.apply(given(args, arguments), exchange));
  }

  /** The entry of an operation in the list of tools. */
  public static FixedTool.Definition definition(Operation operation) {
    Operation.Tool tool = operation.tool();
    if (tool == null) {
      throw new IllegalStateException(operation.id() + " has no tool");
    }
    return definition(tool, args(operation), operation.at(Via.TOOL).filter(Arg::isRequired).toList());
  }

  /** The definition of a tool with these arguments. */
  public static FixedTool.Definition definition(Operation.Tool tool, List<Arg<?>> args, List<Arg<?>> required) {
    JsonWriter properties = JsonWriter.line();
    args.forEach(arg -> properties.put(arg.name(), schema(arg)));
    String input = properties.end();
    return new FixedTool.Definition(tool.name(), tool.says(), input.substring(1, input.length() - 1),
        required.stream().map(Arg::name).toList(), FixedTool.Effect.valueOf(tool.effect().name()));
  }

  /** The refusal in an outcome. */
  public static RefusedCall refusal(Outcome outcome, LockEstimates estimates) {
    if (Answer.of(outcome, estimates, estimates.moment()) instanceof Problem problem) {
      return new RefusedCall(problem);
    }
    throw new IllegalStateException(outcome + " is no refusal");
  }

  /** An answer as the result of a tool. */
  public static ToolResult result(Operation operation, Answer answer) {
    return switch (answer) {
      case Answer.Done done -> {
        JsonObject data = JsonReader.readOwn(ToolMembers.of(done.body()).end());
        yield FixedTool.result(data, String.join("; ", Sentences.of(operation, data)));
      }
      case Answer.Listing listing -> {
        Rows<String> rows = ToolPages.read(Objects.requireNonNull(listing.page()), listing.rows()::read);
        int count = rows.rows().size();
        JsonObject data = JsonReader.readOwn(rows.jsonOf(listing.member(), Function.identity()).end());
        String sentence = count + " " + (count == 1 ? listing.member().replaceFirst("s$", "") : listing.member())
            + ToolPages.end(rows.next());
        yield Sentences.rows(operation, data.objects(listing.member()))
            .<ToolResult>map(lines -> ToolResult.Complete.of(false, sentence + lines,
                JsonWriter.line().put("outcome", "done").members(rows.jsonOf(listing.member(), Function.identity()))))
            .orElseGet(() -> FixedTool.result(data, sentence));
      }
      case Problem problem -> throw new RefusedCall(problem);
    };
  }

  /** The type alone, because every conversation pays for the list of tools; limits are checked in a call. */
  private static JsonWriter schema(Arg<?> arg) {
    JsonObject whole = JsonReader.readOwn(arg.kind().schema().end());
    JsonWriter schema = JsonWriter.line();
    whole.members().forEach((name, value) -> {
      if (IN_LIST.contains(name)) {
        schema.raw(name, whole.raw(value));
      }
    });
    return schema;
  }

  /** The arguments; the page of a tool is small enough for a model to read. */
  private static List<Arg<?>> args(Operation operation) {
    return operation.at(Via.TOOL).<Arg<?>>map(arg -> arg.equals(CommonArgs.LIMIT) ? ToolPages.LIMIT : arg).toList();
  }

  /** The arguments of an operation in those of a tool. */
  public static Given given(List<Arg<?>> args, JsonObject arguments) {
    Given given = Given.NOTHING;
    for (Arg<?> arg : args) {
      given = with(given, arg, arguments);
    }
    return args.contains(CommonArgs.LIMIT) && !given.has(CommonArgs.LIMIT)
        ? given.with(CommonArgs.LIMIT, (long) ToolPages.DEFAULT_LIMIT)
        : given;
  }

  private static <T> Given with(Given given, Arg<T> arg, JsonObject arguments) {
    JsonValue json = arguments.get(arg.name());
    if (json == null) {
      return given;
    }
    T value = arg.kind().read(json, arguments);
    if (value == null) {
      throw CommonProblems.wrong(arg, arguments.raw(json));
    }
    return given.with(arg, value);
  }
}

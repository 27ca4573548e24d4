package fleet.tower.service.mcp.tool;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

import fleet.tower.answer.Answer;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.Problem;
import fleet.tower.answer.Rejected;
import fleet.tower.answer.Sentences;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Rows;
import fleet.tower.service.mcp.wire.Exchange;

/** Tools that are views of operations: their schemas, their arguments and their results follow from these. */
public final class OperationTool {
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
    Operation.Tool tool = operation.tool();
    if (tool == null) {
      throw new IllegalStateException(operation.id() + " has no tool");
    }
    List<Arg<?>> args = operation.at(Via.TOOL).toList();
    JsonWriter properties = JsonWriter.line();
    args.forEach(arg -> properties.put(arg.name(), schema(arg)));
    String input = properties.end();
    FixedTool.Definition definition = new FixedTool.Definition(tool.name(), tool.says(),
        input.substring(1, input.length() - 1), args.stream().filter(Arg::isRequired).map(Arg::name).toList(),
        FixedTool.Effect.valueOf(tool.effect().name()));
    return new FixedTool(definition, operation.role(), (arguments, exchange) -> {
      Given given = limited.apply(given(args, arguments));
      return result(operation, Answer.of(operations.handle(operation,
          new Handler.Request(given, exchange.caller(), clients.apply(exchange))), estimates, estimates.moment()));
    });
  }

  private static ToolResult result(Operation operation, Answer answer) {
    return switch (answer) {
      case Answer.Done done -> {
        JsonObject data = JsonReader.readOwn(ToolMembers.of(done.body()).end());
        yield FixedTool.result(data, String.join("; ", Sentences.of(operation, data)));
      }
      case Answer.Listing listing -> {
        Rows<String> rows = ToolPages.read(listing.page(), listing.rows()::read);
        int count = rows.rows().size();
        yield FixedTool.result(JsonReader.readOwn(rows.jsonOf(listing.member(), Function.identity()).end()),
            count + " " + (count == 1 ? listing.member().replaceFirst("s$", "") : listing.member())
                + ToolPages.end(rows.next()));
      }
      case Problem problem -> throw new Rejected(problem);
    };
  }

  /** The page of a tool is small enough for a model to read. */
  private static JsonWriter schema(Arg<?> arg) {
    return arg.equals(CommonArgs.LIMIT) ? ToolPages.LIMIT.schema() : schemaWithDefault(arg);
  }

  private static <T> JsonWriter schemaWithDefault(Arg<T> arg) {
    JsonWriter schema = arg.kind().schema();
    T otherwise = arg.otherwise();
    return otherwise == null ? schema : schema.raw("default", arg.kind().json(otherwise));
  }

  private static Given given(List<Arg<?>> args, JsonObject arguments) {
    Given given = Given.NOTHING;
    for (Arg<?> arg : args) {
      given = with(given, arg, arguments);
    }
    return args.contains(CommonArgs.LIMIT) && !given.has(CommonArgs.LIMIT)
        ? given.with(CommonArgs.LIMIT, (long) ToolPages.DEFAULT_LIMIT)
        : given;
  }

  /** Arguments were checked by the schema. */
  private static <T> Given with(Given given, Arg<T> arg, JsonObject arguments) {
    JsonValue json = arguments.get(arg.name());
    T value = json == null ? null : arg.kind().read(json, arguments);
    return value == null ? given : given.with(arg, value);
  }
}

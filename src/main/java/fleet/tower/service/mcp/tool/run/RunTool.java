package fleet.tower.service.mcp.tool.run;

import static java.util.Objects.requireNonNull;

import java.util.function.Function;
import java.util.stream.Collectors;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.cli.shell.Asked;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.call.Problem;
import fleet.tower.service.call.Problems;
import fleet.tower.service.call.Rejected;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * A tool about runs. A call that is refused has the members of HTTP's refusal.
 *
 * @param needed the role that may call it
 * @param described its entry in the list of tools as JSON
 */
record RunTool(String name, Role needed, String described, Work work, Function<Exchange, Asked> asked)
    implements
      Tool {
  RunTool {
    requireNonNull(name);
    requireNonNull(needed);
    requireNonNull(described);
    requireNonNull(work);
    requireNonNull(asked);
  }

  /** What a tool does; it may throw what calls of the service throw. */
  @FunctionalInterface
  interface Work {
    ToolResult call(JsonObject arguments, Exchange exchange);
  }

  @Override
  public JsonWriter definition() {
    JsonObject json;
    try {
      json = JsonReader.readObject(described);
    } catch (JsonException e) {
      throw new IllegalStateException("the definition of " + name + " is not JSON: " + e.getMessage(), e);
    }
    JsonWriter definition = JsonWriter.line();
    json.members().forEach((member, value) -> definition.raw(member, json.raw(value)));
    return definition;
  }

  @Override
  public ToolResult call(JsonObject arguments, Exchange exchange) {
    try {
      exchange.caller().require(needed, "call " + name);
      return work.call(arguments, exchange);
    } catch (Rejected e) {
      return refused(e.problem(), exchange);
    } catch (Forbidden e) {
      return refused(Problems.of(e), exchange);
    } catch (InvalidValue e) {
      return refused(Problems.of(e), exchange);
    } catch (StorageException e) {
      return refused(Problems.of(e), exchange);
    }
  }

  private ToolResult refused(Problem problem, Exchange exchange) {
    return refused(problem, asked.apply(exchange));
  }

  static ToolResult.Complete refused(Problem problem, Asked asked) {
    JsonWriter structured = JsonWriter.line().put("outcome", "refused").members(problem.members(asked));
    return ToolResult.Complete.of(true, "Refused: " + problem.detail() + "." + next(structured), structured);
  }

  /** The actions in words, for clients without structured content. */
  private static String next(JsonWriter structured) {
    try {
      JsonObject json = JsonReader.readObject(structured.end());
      return json.objects("next_actions").stream().map(action -> "\nNext: " + action.text("why").orElse("")
          + action.text("tool").map(tool -> ": " + tool + " "
              + action.object("arguments").map(JsonObject::raw).orElse("{}")).orElse(""))
          .collect(Collectors.joining());
    } catch (JsonException e) {
      throw new IllegalStateException("a refusal is not JSON: " + e.getMessage(), e);
    }
  }
}

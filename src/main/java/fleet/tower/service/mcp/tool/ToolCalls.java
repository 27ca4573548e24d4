package fleet.tower.service.mcp.tool;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import fleet.tower.answer.NextAction;
import fleet.tower.operation.Ask;
import fleet.tower.operation.Operation;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;

/** The calls of fixed tools that do the same as calls over HTTP. */
final class ToolCalls {
  private static final Pattern PATH = Pattern.compile("/(?<what>[a-z]+)(?:/(?<name>[^/?]+))?(?:/(?<verb>[a-z]+))?"
      + "(?:\\?status=(?<status>[a-z_]+))?");

  private ToolCalls() {}

  /** The call of a tool; empty if no tool does the same. */
  static Optional<NextAction> of(NextAction action) {
    Matcher path = PATH.matcher(String.valueOf(action.href()));
    if (!path.matches()) {
      return Optional.empty();
    }
    String name = path.group("name");
    String of = action.method() + " " + path.group("what") + (name == null ? "" : " NAME")
        + (path.group("verb") == null ? "" : " " + path.group("verb"));
    JsonWriter none = JsonWriter.line();
    return switch (of) {
      case "GET runs" -> tool("list_runs",
          path.group("status") == null ? none : none.put("status", path.group("status")), action);
      case "POST runs NAME cancel" -> tool("cancel_run", none.put("request_id", name), action);
      case "GET runs NAME" -> tool("get_run", none.put("request_id", name), action);

      default -> Optional.empty();
    };
  }

  private static Optional<NextAction> tool(String tool, JsonWriter arguments, NextAction action) {
    return Optional.of(tool(tool, arguments, action.why()));
  }

  private static NextAction tool(String tool, JsonWriter arguments, String why) {
    return NextAction.tool(tool, arguments.end(), why.replaceFirst("; " + NextAction.NEW + " .*", ""));
  }

  /** The call of an operation's tool. */
  static NextAction of(Operation.Tool tool, Ask ask, String why) {
    return tool(tool.name(), chosen(JsonReader.readOwn(ask.arguments().end())), why);
  }

  /** The members without an id that the caller would have to choose: the tool chooses one. */
  private static JsonWriter chosen(JsonObject members) {
    JsonWriter chosen = JsonWriter.line();
    members.members().forEach((name, value) -> {
      if (members.text(name).filter(NextAction.NEW::equals).isEmpty()) {
        chosen.raw(name, members.raw(value));
      }
    });
    return chosen;
  }
}

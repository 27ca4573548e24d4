package fleet.tower.service.mcp.tool;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Problem;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;

/** Lists the tools that a caller may use, and calls them. */
public final class ToolsFeature implements Feature {
  private static final int TTL_MILLIS = 60_000;
  private static final int MAX_NAME = 64;

  private final IntentOffer offer;
  private final List<ToolBox> boxes;

  /** @param boxes the tools in their order */
  public ToolsFeature(IntentOffer offer, List<ToolBox> boxes) {
    this.offer = offer;
    this.boxes = List.copyOf(boxes);
  }

  @Override
  public JsonWriter capabilities(Revision revision) {
    // A change is announced on a stream that a modern client opens.
    JsonWriter tools = JsonWriter.line();
    return JsonWriter.line().put("tools", revision.isModern() ? tools.put("listChanged", true) : tools);
  }

  @Override
  public Map<String, Method> methods(Revision revision) {
    return Map.of("tools/list", this::list, "tools/call", this::call);
  }

  private List<Tool> tools(Caller caller) {
    return boxes.stream().flatMap(box -> box.tools(caller).stream()).toList();
  }

  private JsonWriter list(Exchange exchange) {
    if (exchange.request().params().get("cursor") != null) {
      throw ProtocolError.invalidParams("there is no such cursor; the whole list is returned without one");
    }
    JsonWriter json = JsonWriter.line().list("tools",
        tools(exchange.caller()).stream().map(tool -> tool.definition().end()).toList());
    return exchange.request().revision().isModern()
        ? json.put("ttlMs", TTL_MILLIS).put("cacheScope", "private")
        : json;
  }

  private JsonWriter call(Exchange exchange) {
    JsonObject params = exchange.request().params();
    String name = params.text("name").orElseThrow(() -> ProtocolError.invalidParams("name must be a string"));
    List<Tool> tools = tools(exchange.caller());
    Tool tool = tools.stream().filter(it -> it.name().equals(name)).findFirst()
        .orElseThrow(() -> unknown(name, exchange.caller(), tools));
    JsonValue arguments = params.get("arguments");
    return switch (arguments) {
      case null -> json(call(tool, JsonReader.readOwn("{}"), exchange));
      case JsonObject object -> json(call(tool, object, exchange));
      case JsonValue.Items _,JsonValue.Text _,JsonValue.Numeral _,JsonValue.Bool _,JsonValue.Null _ ->
        throw ProtocolError.invalidParams("arguments must be an object");
    };
  }

  /** A tool that the caller may not use is unknown to it, but the attempt is a refusal. */
  private ProtocolError unknown(String name, Caller caller, List<Tool> tools) {
    Optional<String> near = name.length() > MAX_NAME
        ? Optional.empty()
        : Nearest.of(name, tools.stream().map(Tool::name).toList());
    ProtocolError unknown = ProtocolError.invalidParams("there is no tool " + InvalidValue.shown(name)
        + near.map(it -> "; did you mean " + it + "?").orElse(""));
    try {
      boxes.forEach(box -> box.requirePermitted(name, caller));
      return unknown;
    } catch (Forbidden e) {
      return unknown.because(e);
    }
  }

  private ToolResult call(Tool tool, JsonObject arguments, Exchange exchange) {
    try {
      tool.check(arguments);
      return tool.call(arguments, exchange);
    } catch (InvalidArguments e) {
      return refused(tool, e, exchange);
    } catch (Forbidden e) {
      exchange.refused(e);
      return refused(CommonProblems.of(e), exchange);
    } catch (RuntimeException e) {
      if (e instanceof Forbidden forbidden) {
        exchange.refused(forbidden);
      }
      return refused(CommonProblems.ofFailure(e).orElseThrow(() -> e), exchange);
    }
  }

  private ToolResult refused(Problem problem, Exchange exchange) {
    return ToolRefusals.of(problem, offer.refused(exchange));
  }

  private ToolResult refused(Tool tool, InvalidArguments invalid, Exchange exchange) {
    return ToolRefusals.of(invalid, tool.name(), offer.refused(exchange));
  }

  private static JsonWriter json(ToolResult result) {
    return switch (result) {
      case ToolResult.Complete(boolean isError, List<String> content, String structured) -> {
        JsonWriter json = JsonWriter.line().list("content", content);
        yield (structured == null ? json : json.raw("structuredContent", structured)).put("isError", isError);
      }
      case ToolResult.Begun(JsonWriter task) -> JsonWriter.line().put("resultType", "task").members(task);
    };
  }
}

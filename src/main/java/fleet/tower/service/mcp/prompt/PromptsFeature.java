package fleet.tower.service.mcp.prompt;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;

/** Listing and filling in prompts. The list never changes, so no notification announces it. */
public final class PromptsFeature implements Feature {
  private static final Duration FRESH = Duration.ofHours(1);

  private final List<Prompt> prompts;

  public PromptsFeature(List<Prompt> prompts) {
    this.prompts = List.copyOf(prompts);
  }

  @Override
  public JsonWriter capabilities(Revision revision) {
    return JsonWriter.line().put("prompts", JsonWriter.line());
  }

  @Override
  public Map<String, Method> methods(Revision revision) {
    return Map.of("prompts/list", this::list, "prompts/get", this::get);
  }

  private Stream<Prompt> of(Caller caller) {
    return prompts.stream().filter(it -> it.isFor(caller));
  }

  private JsonWriter list(Exchange exchange) {
    if (exchange.request().params().get("cursor") != null) {
      throw ProtocolError.invalidParams("the list of prompts has one page; list without a cursor");
    }
    JsonWriter result = JsonWriter.line().list("prompts",
        of(exchange.caller()).map(it -> JsonWriter.line().put("name", it.name()).members(it.definition())
            .list("arguments", it.arguments().stream().map(argument -> argument.json().end()).toList()).end())
            .toList());
    return switch (exchange.request().revision()) {
      case V2025_11_25 -> result;
      case V2026_07_28 -> result.put("ttlMs", FRESH.toMillis()).put("cacheScope", "private");
    };
  }

  private JsonWriter get(Exchange exchange) {
    JsonObject params = exchange.request().params();
    String name = params.text("name")
        .orElseThrow(() -> ProtocolError.invalidParams("'name' is missing, or is not a string"));
    List<String> names = of(exchange.caller()).map(Prompt::name).toList();
    Prompt prompt = of(exchange.caller()).filter(it -> it.name().equals(name)).findFirst()
        .orElseThrow(() -> unknown(name, exchange.caller(), names));
    try {
      return JsonWriter.line().list("messages", prompt.messages(arguments(prompt, params), exchange.caller()));
    } catch (InvalidValue e) {
      throw ProtocolError.invalidParams(e.problem());
    } catch (Forbidden e) {
      throw ProtocolError.invalidParams(e.problem()).because(e);
    }
  }

  /** A prompt that is of no use to the caller's role is unknown to it, but the attempt is a refusal. */
  private ProtocolError unknown(String name, Caller caller, List<String> names) {
    ProtocolError unknown = ProtocolError
        .invalidParams("there is no prompt " + InvalidValue.shown(name) + "; " + nearest(name, names));
    try {
      if (prompts.stream().anyMatch(it -> it.name().equals(name))) {
        caller.require(Role.AGENT, "get the prompt " + name);
      }
      return unknown;
    } catch (Forbidden e) {
      return unknown.because(e);
    }
  }

  private static Map<String, String> arguments(Prompt prompt, JsonObject params) {
    JsonValue given = params.get("arguments");
    if (given != null && !(given instanceof JsonObject)) {
      throw problem("'arguments' must be an object");
    }
    List<String> names = prompt.arguments().stream().map(Prompt.Argument::name).toList();
    Map<String, String> arguments = new LinkedHashMap<>();
    (given instanceof JsonObject object ? object.members() : Map.<String, JsonValue>of()).forEach((name, value) -> {
      if (!names.contains(name)) {
        throw problem("unknown argument " + InvalidValue.shown(name) + "; " + nearest(name, names));
      }
      if (!(value instanceof JsonValue.Text(String text, int _, int _))) {
        throw problem("the argument '" + name + "' must be a string");
      }
      arguments.put(name, text);
    });
    prompt.arguments().stream().filter(it -> it.required() && !arguments.containsKey(it.name())).findFirst()
        .ifPresent(missing -> {
          throw problem("the argument '" + missing.name() + "' is missing: " + missing.description());
        });
    return arguments;
  }

  private static String nearest(String name, List<String> names) {
    return Nearest.of(name, names).map(near -> "did you mean " + near + "?")
        .orElse(names.isEmpty() ? "there are none" : "use " + String.join(", ", names));
  }

  private static InvalidValue problem(String text) {
    return new InvalidValue(InvalidValue.Kind.REQUEST, text);
  }
}

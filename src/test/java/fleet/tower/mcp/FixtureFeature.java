package fleet.tower.mcp;

import java.util.HashMap;
import java.util.Map;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Revision;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A feature of the server, with the resources and prompts that the conformance suite reads. */
final class FixtureFeature implements Feature {
  private static final String TASKS = "io.modelcontextprotocol/tasks";
  private static final int MISSING_CAPABILITY = -32021;
  private final Feature real;

  FixtureFeature(Feature real) {
    this.real = real;
  }

  @Override
  public JsonWriter capabilities(Revision revision) {
    return real.capabilities(revision);
  }

  @Override
  public Map<String, Method> methods(Revision revision) {
    Map<String, Method> methods = new HashMap<>(real.methods(revision));
    methods.computeIfPresent("resources/list", (_, method) -> added(method, "resources", """
        [{"uri":"test://static-text","name":"static text","mimeType":"text/plain"},
         {"uri":"test://static-binary","name":"static binary","mimeType":"image/png"}]"""));
    methods.computeIfPresent("resources/templates/list", (_, method) -> added(method, "resourceTemplates", """
        [{"uriTemplate":"test://template/{id}/data","name":"template","mimeType":"application/json"}]"""));
    methods.computeIfPresent("prompts/list", (_, method) -> added(method, "prompts", """
        [{"name":"test_simple_prompt","description":"A text."},
         {"name":"test_prompt_with_image","description":"An image."},
         {"name":"test_prompt_with_arguments","description":"Two arguments.",
          "arguments":[{"name":"arg1","required":true},{"name":"arg2","required":true}]},
         {"name":"test_prompt_with_embedded_resource","description":"A resource.",
          "arguments":[{"name":"resourceUri","required":true}]}]"""));
    methods.computeIfPresent("resources/read", (_, method) -> exchange -> {
      String uri = exchange.request().params().text("uri").orElse("");
      String content = content(uri);
      return content.isEmpty() ? method.call(exchange) : cacheable("contents", "[" + content + "]", revision);
    });
    methods.computeIfPresent("prompts/get", (_, method) -> exchange -> {
      String messages = messages(exchange.request().params().text("name").orElse(""),
          JsonMapper.shared().readTree(exchange.request().params().object("arguments").map(JsonObject::raw)
              .orElse("{}")));
      return messages.isEmpty() ? method.call(exchange) : JsonWriter.line().raw("messages", messages);
    });
    // The suite expects that this tool does not serve clients without tasks.
    methods.computeIfPresent("tools/call", (_, method) -> exchange -> {
      if (exchange.request().params().text("name").orElse("").equals("failing_job")
          && !exchange.request().declares(TASKS)) {
        throw missing("extensions", JsonWriter.line().put(TASKS, JsonWriter.line()));
      }
      return method.call(exchange);
    });
    return methods;
  }

  /** The refusal of a client without a capability. */
  static ProtocolError missing(String capability, JsonWriter value) {
    return new ProtocolError(MISSING_CAPABILITY, "the client must have the capability " + capability,
        JsonWriter.line().put("requiredCapabilities", JsonWriter.line().put(capability, value)));
  }

  private static JsonWriter cacheable(String name, String json, Revision revision) {
    JsonWriter result = JsonWriter.line().raw(name, json);
    return revision == Revision.V2025_11_25 ? result : result.put("ttlMs", 0).put("cacheScope", "private");
  }

  /** A method whose list has more entries. */
  private static Method added(Method method, String list, String entries) {
    return exchange -> {
      ObjectNode result = (ObjectNode) JsonMapper.shared().readTree(method.call(exchange).end());
      ((ArrayNode) result.get(list)).addAll((ArrayNode) JsonMapper.shared().readTree(entries));
      JsonWriter all = JsonWriter.line();
      result.properties().forEach(member -> all.raw(member.getKey(), member.getValue().toString()));
      return all;
    };
  }

  private static String content(String uri) {
    String head = "{\"uri\":\"" + uri + "\",\"mimeType\":";
    if (uri.matches("test://template/\\w+/data")) {
      return head + "\"application/json\",\"text\":\"" + uri.split("/", -1)[3] + "\"}";
    }
    return switch (uri) {
      case "test://static-text" -> head + "\"text/plain\",\"text\":\"A static text.\"}";
      case "test://static-binary" -> head + "\"image/png\",\"blob\":\"" + FixtureTools.PNG + "\"}";
      default -> "";
    };
  }

  private static String messages(String prompt, JsonNode arguments) {
    return switch (prompt) {
      case "test_simple_prompt" -> "[" + said("This is a simple prompt.") + "]";
      case "test_prompt_with_arguments" -> "[" + said("arg1 is " + arguments.path("arg1").asString() + ", arg2 is "
          + arguments.path("arg2").asString()) + "]";
      case "test_prompt_with_image" -> "[{\"role\":\"user\",\"content\":{\"type\":\"image\",\"data\":\""
          + FixtureTools.PNG + "\",\"mimeType\":\"image/png\"}}," + said("Look at the image.") + "]";
      case "test_prompt_with_embedded_resource" -> "[{\"role\":\"user\",\"content\":{\"type\":\"resource\","
          + "\"resource\":{\"uri\":" + arguments.path("resourceUri") + ",\"mimeType\":\"text/plain\","
          + "\"text\":\"An embedded resource.\"}}}," + said("Read the resource.") + "]";
      default -> "";
    };
  }

  private static String said(String text) {
    return "{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":" + JsonWriter.quote(text) + "}}";
  }
}

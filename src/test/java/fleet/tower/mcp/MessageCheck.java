package fleet.tower.mcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A comparison of a server's messages with the published schemas of both revisions and of the tasks extension, and of
 * structured results with the output schemas of their tools.
 */
final class MessageCheck {
  private static final String MODERN = "2026-07-28";
  private static final Published LEGACY_SCHEMA = new Published("2025-11-25");
  private static final Published MODERN_SCHEMA = new Published(MODERN);
  private static final Published TASKS_SCHEMA = new Published("tasks");

  private final Map<String, Schema> outputs = new HashMap<>();
  private final List<String> mistakes = new ArrayList<>();
  private final Set<String> seen = new TreeSet<>();

  /** Checks a message that a server sent about a request, or as its answer. */
  synchronized void received(JsonNode request, JsonNode message) {
    boolean isModern = request.at("/params/_meta").has("io.modelcontextprotocol/protocolVersion");
    Published published = isModern ? MODERN_SCHEMA : LEGACY_SCHEMA;
    String method = request.path("method").asString("");
    if (message.has("method")) {
      notification(published, message);
    } else if (message.has("error")) {
      expect(published, "JSONRPCErrorResponse", message, method + " is refused");
    } else {
      expect(published, "JSONRPCResultResponse", message, method);
      result(published, request, message.path("result"));
    }
  }

  /** Checks something that is no message at all. */
  synchronized void mistake(String what) {
    mistakes.add(what);
  }

  /** All deviations. */
  synchronized List<String> mistakes() {
    return List.copyOf(mistakes);
  }

  /** What was checked, such as {@code 2026-07-28 CallToolResult}. */
  synchronized Set<String> seen() {
    return Set.copyOf(seen);
  }

  private void notification(Published published, JsonNode message) {
    String method = message.path("method").asString();
    Optional<String> name = published.notification(method);
    if (name.isPresent()) {
      expect(published, name.get(), message, method);
    } else if (published == MODERN_SCHEMA && TASKS_SCHEMA.notification(method).isPresent()) {
      expect(TASKS_SCHEMA, TASKS_SCHEMA.notification(method).get(), message, method);
    } else {
      mistakes.add("no schema has the notification " + message);
    }
  }

  private void result(Published published, JsonNode request, JsonNode result) {
    String method = request.path("method").asString();
    if (result.path("resultType").asString("").equals("task")) {
      expect(TASKS_SCHEMA, "CreateTaskResult", result, method);
      return;
    }
    Optional<String> name = published.result(method);
    if (name.isPresent()) {
      expect(published, name.get(), result, method);
    } else if (published == MODERN_SCHEMA && TASKS_SCHEMA.result(method).isPresent()) {
      expect(TASKS_SCHEMA, TASKS_SCHEMA.result(method).get(), result, method);
      if (result.has("result")) {
        expect(MODERN_SCHEMA, "CallToolResult", result.get("result"), method);
      }
    } else {
      mistakes.add("no schema has a result of " + method + ": " + result);
    }
    if (method.equals("tools/list")) {
      result.path("tools").forEach(this::learn);
    } else if (method.equals("tools/call")) {
      structured(request.at("/params/name").asString(""), result);
    }
  }

  private void learn(JsonNode tool) {
    if (tool.has("outputSchema")) {
      outputs.put(tool.path("name").asString(), SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(tool.get("outputSchema").toString(), InputFormat.JSON));
    }
  }

  private void structured(String tool, JsonNode result) {
    Schema schema = outputs.get(tool);
    if (schema == null) {
      return;
    }
    if (!result.has("structuredContent")) {
      mistakes.add(tool + " has an output schema, and its result has no structured content: " + result);
      return;
    }
    seen.add("output of " + tool);
    schema.validate(result.get("structuredContent").toString(), InputFormat.JSON)
        .forEach(error -> mistakes.add(tool + ": " + error.getInstanceLocation() + " " + error.getMessage() + " in "
            + result.get("structuredContent")));
  }

  private void expect(Published published, String name, JsonNode value, String what) {
    seen.add(published.name + " " + name);
    published.mistakes(name, value).forEach(mistake -> mistakes.add(what + " as " + name + " of " + published.name
        + ": " + mistake + " in " + value));
  }

  /** A published schema. */
  private static final class Published {
    private final String name;
    private final JsonNode definitions;
    private final SchemaRegistry registry;
    private final String uri;
    private final Map<String, Schema> schemas = new HashMap<>();

    Published(String name) {
      this.name = name;
      String text = text("/mcp/schema-" + name + ".json");
      JsonNode root = JsonMapper.shared().readTree(text);
      definitions = root.get("$defs");
      uri = root.path("$id").asString("https://tower.example/mcp/" + name + ".json");
      registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12,
          builder -> builder.schemas(Map.of(uri, text)));
    }

    private static String text(String resource) {
      try (InputStream in = MessageCheck.class.getResourceAsStream(resource)) {
        if (in == null) {
          throw new AssertionError(resource + " is missing");
        }
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** The definition of a notification with a method. */
    Optional<String> notification(String method) {
      return definition(method, "Notification");
    }

    /** The definition of the result of a request with a method. */
    Optional<String> result(String method) {
      return definition(method, "Request").map(request -> {
        String result = request.substring(0, request.length() - "Request".length()) + "Result";
        return definitions.has(result) ? result : "EmptyResult";
      });
    }

    private Optional<String> definition(String method, String suffix) {
      return definitions.propertyNames().stream().filter(name -> name.endsWith(suffix))
          .filter(name -> method(definitions.get(name)).equals(method)).findFirst();
    }

    private static String method(JsonNode definition) {
      String method = definition.at("/properties/method/const").asString("");
      return method.isEmpty() ? definition.at("/allOf/1/properties/method/const").asString("") : method;
    }

    synchronized List<String> mistakes(String definition, JsonNode value) {
      if (!definitions.has(definition)) {
        return List.of("the schema has no " + definition);
      }
      return schemas.computeIfAbsent(definition,
          it -> registry.getSchema(SchemaLocation.of(uri + "#/$defs/" + it)))
          .validate(value.toString(), InputFormat.JSON).stream()
          .map(error -> error.getInstanceLocation() + " " + error.getMessage()).distinct().toList();
    }
  }
}

package fleet.tower.openapi;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;

import fleet.tower.service.config.api.ApiDocument;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The OpenAPI document: its calls, and its schemas for an independent validator. */
final class Document {
  private static final String URI = "https://tower.example/v3/api-docs";
  private static final Set<String> METHODS = Set.of("get", "put", "post", "delete");

  final String json = JsonMapper.shared().writeValueAsString(ApiDocument.read());
  final JsonNode root = JsonMapper.shared().readTree(json);
  private final SchemaRegistry registry;
  private final Map<String, Schema> schemas = new HashMap<>();
  private final Map<String, Operation> operations = new LinkedHashMap<>();

  Document() {
    registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12,
        builder -> builder.schemas(Map.of(URI, json)));
    root.get("paths").properties().forEach(path -> path.getValue().properties().stream()
        .filter(call -> METHODS.contains(call.getKey())).forEach(call -> {
          Operation operation = new Operation(this, call.getKey().toUpperCase(java.util.Locale.ROOT), path.getKey(),
              call.getValue(), path.getValue(), "#/paths/" + escaped(path.getKey()) + "/" + call.getKey());
          if (operations.put(operation.id(), operation) != null) {
            throw new AssertionError("two operations are called " + operation.id());
          }
        }));
  }

  /** One call. */
  record Operation(Document document, String method, String path, JsonNode node, JsonNode around, String pointer) {
    String id() {
      return node.get("operationId").asString();
    }

    String role() {
      return node.get("x-tower-role").asString();
    }

    boolean needsToken() {
      return !node.has("security");
    }

    boolean hasBody() {
      return node.has("requestBody");
    }

    Set<String> statuses() {
      return new TreeSet<>(node.get("responses").propertyNames());
    }

    /** Its parameters, with those of its path, as {@code path name}, {@code query limit}, {@code header Prefer}. */
    Map<String, Place> parameters() {
      Map<String, Place> parameters = new TreeMap<>();
      collect(around, pointer.substring(0, pointer.lastIndexOf('/')), parameters);
      collect(node, pointer, parameters);
      return parameters;
    }

    private void collect(JsonNode in, String where, Map<String, Place> parameters) {
      for (int i = 0; in.has("parameters") && i < in.get("parameters").size(); i++) {
        Place place = document.resolve(where + "/parameters/" + i);
        parameters.put(place.node().get("in").asString() + " " + place.node().get("name").asString(), place);
      }
    }

    Place parameter(String name) {
      return requireNonNull(parameters().get(name), id() + " has no parameter " + name);
    }

    Place response(int status) {
      return document.resolve(pointer + "/responses/" + status);
    }

    /** The schema of its request body. */
    Place body() {
      return document.resolve(document.resolve(pointer + "/requestBody").pointer() + "/content/application~1json");
    }
  }

  /** A part of the document, and its pointer. */
  record Place(String pointer, JsonNode node) {
    Place at(String key) {
      return new Place(pointer + "/" + escaped(key), requireNonNull(node.get(key), pointer + " has no " + key));
    }
  }

  Map<String, Operation> operations() {
    return operations;
  }

  Operation operation(String id) {
    return requireNonNull(operations.get(id), "there is no operation " + id);
  }

  JsonNode at(String pointer) {
    JsonNode found = root.at(pointer.substring(1));
    if (found.isMissingNode()) {
      throw new AssertionError(pointer + " is not in the document");
    }
    return found;
  }

  /** The node at a pointer, or at the one that it refers to. */
  Place resolve(String pointer) {
    JsonNode node = at(pointer);
    return node.has("$ref") ? resolve(node.get("$ref").asString()) : new Place(pointer, node);
  }

  /** The violations of the schema at a pointer by a value. */
  List<String> mistakes(String pointer, String json) {
    Schema schema = schemas.computeIfAbsent(pointer, it -> registry.getSchema(SchemaLocation.of(URI + it)));
    return schema.validate(json, InputFormat.JSON).stream().map(error -> error.getInstanceLocation() + " "
        + error.getMessage()).distinct().toList();
  }

  /** Every error code in the schema at a pointer. */
  Set<String> codes(String pointer) {
    Set<String> codes = new TreeSet<>();
    collectCodes(at(pointer), codes);
    return codes;
  }

  private void collectCodes(JsonNode schema, Set<String> codes) {
    if (schema.has("$ref")) {
      collectCodes(at(schema.get("$ref").asString()), codes);
    }
    JsonNode error = schema.at("/properties/error");
    if (error.has("const")) {
      codes.add(error.get("const").asString());
    }
    error.path("enum").forEach(code -> codes.add(code.asString()));
    for (String keyword : List.of("allOf", "oneOf", "anyOf")) {
      schema.path(keyword).forEach(part -> collectCodes(part, codes));
    }
  }

  /** All places below a place, and the place itself. */
  List<Place> places() {
    List<Place> places = new ArrayList<>();
    walk(new Place("#", root), places);
    return places;
  }

  private static void walk(Place place, List<Place> places) {
    places.add(place);
    if (place.node().isObject()) {
      place.node().properties()
          .forEach(member -> walk(new Place(place.pointer() + "/" + escaped(member.getKey()), member.getValue()),
              places));
    }
    for (int i = 0; place.node().isArray() && i < place.node().size(); i++) {
      walk(new Place(place.pointer() + "/" + i, place.node().get(i)), places);
    }
  }

  static String escaped(String key) {
    return key.replace("~", "~0").replace("/", "~1");
  }
}

package fleet.tower.platform.yaml;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.yaml.Node.Scalar;

/**
 * Validates nodes against a JSON Schema (2020-12, the subset that our formats use) and reports each violation with its
 * position. An {@code errorMessage} next to a rule replaces the default message, as in editors. An integer must be
 * written as one: {@code 1.0} is not an integer.
 *
 * <p>It can check JSON documents, too: in them, only strings have a length, a number of more than 31 digits is of no
 * type, and messages have no advice for authors of YAML.
 */
public final class YamlSchema {
  /** Marks a rule whose message must not repeat the value, because it may be secret. */
  private static final String SECRET = "writeOnly";
  /** The unit of a number. */
  private static final String UNIT = "unit";
  private static final Set<String> ANNOTATIONS = Set.of("$schema", "$id", "$defs", "title", "description",
      "errorMessage", UNIT, SECRET);

  /** A schema without an errorMessage: type errors have their own message; an errorMessage describes the form. */
  private static final JsonObject NO_MESSAGE = new JsonObject(Map.of(), "", 0, 0);
  private static final JsonObject NO_VALUE = new JsonObject(Map.of(SECRET, new JsonValue.Bool(true, 0, 0)), "", 0, 0);

  private final JsonObject root;
  private final boolean isOfJson;
  private final Map<String, Pattern> patterns = new ConcurrentHashMap<>();

  private YamlSchema(JsonObject root, boolean isOfJson) {
    this.root = root;
    this.isOfJson = isOfJson;
  }

  /** A schema of JSON documents, in which there are only rules that this class knows. */
  public static YamlSchema ofJson(JsonObject root) {
    return new YamlSchema(root, true);
  }

  /** A rule that a node breaks. */
  public record Violation(Node.Position position, String message) {}

  /** Loads a schema from a resource next to a class; the same file is shipped for editors. */
  public static YamlSchema of(Class<?> neighbour, String resource) {
    try (InputStream in = neighbour.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the jar");
      }
      return new YamlSchema(JsonReader.readObject(in.readAllBytes()), false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonException e) {
      throw new IllegalStateException(resource + ": " + e.getMessage(), e);
    }
  }

  /** The violations in a tree. */
  public List<Violation> violations(Node node) {
    List<Violation> violations = new ArrayList<>();
    check(root, node, violations);
    return violations;
  }

  /** The first violation in a JSON document that was read from a text; the others are not searched for. */
  public Optional<Violation> violation(String text, JsonValue document) {
    return violations(JsonNodes.read(text, document)).stream().findFirst();
  }

  private boolean isEnough(List<Violation> violations) {
    return isOfJson && !violations.isEmpty();
  }

  private void check(JsonObject schema, Node node, List<Violation> violations) {
    if (isEnough(violations)) {
      return;
    }
    int before = violations.size();
    for (Map.Entry<String, JsonValue> rule : schema.members().entrySet()) {
      if (ANNOTATIONS.contains(rule.getKey())) {
        continue;
      }
      apply(schema, rule.getKey(), rule.getValue(), node, violations);
      if (violations.size() > before && (rule.getKey().equals("type") || rule.getKey().equals("$ref"))) {
        return;
      }
    }
  }

  private void apply(JsonObject schema, String rule, JsonValue value, Node node, List<Violation> violations) {
    switch (rule) {
      case "$ref" -> check(referred(text(value)), node, violations);
      case "type" -> require(violations, isSecret(schema) ? NO_VALUE : NO_MESSAGE, node, isOfType(texts(value), node),
          shouldBe(texts(value), schema, node));
      case "enum" -> {
        if (!isOneOf(texts(value), node)) {
          require(violations, schema, node, false, oneOf(texts(value), node));
        }
      }
      case "const" -> require(violations, schema, node, isOneOf(texts(value), node), "must be " + text(value));
      case "not" -> require(violations, schema, node, !isValid(object(value), node), "is not allowed");
      case "oneOf" -> oneOf(schema, value, node, violations);
      case "properties", "propertyNames", "additionalProperties", "required", "maxProperties" -> {
        if (node instanceof Node.Mapping mapping) {
          checkMapping(schema, rule, value, mapping, violations);
        }
      }
      case "items", "minItems", "maxItems" -> {
        if (node instanceof Node.Sequence sequence) {
          checkSequence(schema, rule, value, sequence, violations);
        }
      }
      case "pattern", "minLength", "maxLength" -> {
        if (node instanceof Scalar scalar && (isOfJson ? !scalar.isPlain() : scalar.kind() != Scalar.Kind.NULL)) {
          checkText(schema, rule, value, scalar, violations);
        }
      }
      case "minimum", "maximum" -> {
        if (node instanceof Scalar scalar && isNumber(scalar)) {
          checkNumber(schema, rule, value, scalar, violations);
        }
      }
      default -> throw new IllegalStateException("unsupported rule in the schema: " + rule);
    }
  }

  private void require(List<Violation> violations, JsonObject schema, Node node, boolean isValid,
      String defaultMessage) {
    if (!isValid) {
      String message = schema.text("errorMessage").orElse(defaultMessage);
      violations.add(new Violation(node.position(),
          message + (node instanceof Scalar scalar && !scalar.text().isEmpty() && !isSecret(schema)
              ? ", not " + shown(scalar)
              : "")));
    }
  }

  private String shown(Scalar scalar) {
    String quoted = Complaints.shown(scalar.text());
    return !isOfJson ? quoted : scalar.isPlain() ? scalar.text() : quoted.replaceAll("^'|'$", "\"");
  }

  private static boolean isSecret(JsonObject schema) {
    return schema.get(SECRET) != null;
  }

  private boolean isValid(JsonObject schema, Node node) {
    List<Violation> violations = new ArrayList<>();
    check(schema, node, violations);
    return violations.isEmpty();
  }

  /** Names the required keys of the alternatives, which distinguish them. */
  private void oneOf(JsonObject schema, JsonValue alternatives, Node node, List<Violation> violations) {
    List<String> names = new ArrayList<>();
    int valid = 0;
    for (JsonValue alternative : items(alternatives)) {
      valid += isValid(object(alternative), node) ? 1 : 0;
      JsonValue required = object(alternative).get("required");
      names.addAll(required == null ? List.of() : texts(required));
    }
    if (valid != 1 && node instanceof Node.Mapping) {
      require(violations, schema, node, false, "must have exactly one of " + String.join(", ", names)
          + (valid == 0 ? "" : "; it has more than one"));
    }
  }

  private void checkMapping(JsonObject schema, String rule, JsonValue value, Node.Mapping mapping,
      List<Violation> violations) {
    JsonObject properties = schema.object("properties").orElse(null);
    Set<String> known = properties == null ? Set.of() : properties.members().keySet();
    switch (rule) {
      case "properties" -> mapping.entries().stream().filter(entry -> known.contains(entry.key().text()))
          .forEach(entry -> check(object(object(value).get(entry.key().text())), entry.value(), violations));
      case "propertyNames" -> mapping.entries().forEach(entry -> check(object(value),
          new Scalar(entry.key().text(), false, entry.key().position(), List.of()), violations));
      case "additionalProperties" -> mapping.entries().stream().filter(entry -> !known.contains(entry.key().text()))
          .forEach(entry -> additional(value, entry, known, violations));
      case "required" -> {
        List<String> missing = texts(value).stream().filter(key -> mapping.entry(key).isEmpty()).toList();
        require(violations, schema, mapping, missing.isEmpty(), "is missing " + String.join(", ", missing));
      }
      default -> require(violations, schema, mapping, mapping.entries().size() <= integer(value),
          "has " + mapping.entries().size() + " keys; at most " + integer(value) + " are allowed");
    }
  }

  private void additional(JsonValue rule, Node.Entry entry, Set<String> known, List<Violation> violations) {
    if (rule instanceof JsonObject schema) {
      check(schema, entry.value(), violations);
    } else if (rule instanceof JsonValue.Bool(boolean isAllowed, _, _) && !isAllowed && !isEnough(violations)) {
      String name = entry.key().text();
      violations.add(new Violation(entry.key().position(), "unknown key " + Complaints.shown(name)
          + Nearest.of(name, known).map(near -> "; did you mean '" + near + "'?")
              .orElseGet(() -> known.isEmpty() ? "" : "; known keys are " + String.join(", ", known))));
    }
  }

  private void checkSequence(JsonObject schema, String rule, JsonValue value, Node.Sequence sequence,
      List<Violation> violations) {
    int size = sequence.items().size();
    switch (rule) {
      case "items" -> sequence.items().forEach(item -> check(object(value), item, violations));
      case "minItems" ->
        require(violations, schema, sequence, size >= integer(value), integer(value) == 1
            ? "is an empty list; give at least one item"
            : "has " + size + " items; at least " + integer(value) + " are needed");
      default -> require(violations, schema, sequence, size <= integer(value),
          "has " + size + " items; at most " + integer(value) + " are allowed");
    }
  }

  private void checkText(JsonObject schema, String rule, JsonValue value, Scalar scalar, List<Violation> violations) {
    int length = scalar.text().codePointCount(0, scalar.text().length());
    switch (rule) {
      case "pattern" -> require(violations, schema, scalar, pattern(text(value)).matcher(scalar.text()).find(),
          "must match " + text(value));
      case "minLength" -> require(violations, schema, scalar, length >= integer(value),
          length == 0 ? "is empty" : "has " + length + " characters; at least " + integer(value) + " are needed");
      default -> require(violations, schema, scalar, length <= integer(value),
          "has " + length + " characters; at most " + integer(value) + " are allowed");
    }
  }

  private void checkNumber(JsonObject schema, String rule, JsonValue value, Scalar scalar,
      List<Violation> violations) {
    String bound = literal(value);
    int order = new BigDecimal(scalar.text()).compareTo(new BigDecimal(bound));
    boolean isMinimum = rule.equals("minimum");
    require(violations, schema, scalar, isMinimum ? order >= 0 : order <= 0,
        "must be at " + (isMinimum ? "least " : "most ") + bound);
  }

  private static boolean isNumber(Scalar scalar) {
    return scalar.kind() == Scalar.Kind.INTEGER || scalar.kind() == Scalar.Kind.NUMBER;
  }

  private boolean isOfType(List<String> types, Node node) {
    return switch (node) {
      case Node.Mapping _ -> types.contains("object");
      case Node.Sequence _ -> types.contains("array");
      case Scalar scalar -> switch (scalar.kind()) {
        case STRING -> types.contains("string") && !(isOfJson && scalar.isPlain());
        case INTEGER -> types.contains("integer") || types.contains("number");
        case NUMBER -> types.contains("number");
        case BOOLEAN -> types.contains("boolean");
        case NULL -> types.contains("null");
      };
    };
  }

  private String shouldBe(List<String> types, JsonObject schema, Node node) {
    if (isOfJson) {
      return "must be " + String.join(" or ", types);
    }
    boolean isNull = node instanceof Scalar scalar && scalar.kind() == Scalar.Kind.NULL;
    return switch (types.getFirst()) {
      case "object" -> "must be a mapping of keys to values, one key per line";
      case "array" -> "must be a list: [one, two], or one line beginning with - per item"
          + (types.contains("object") ? "; or a mapping of keys to values" : "");
      case "string" -> isNull
          ? "is null; write \"\" for an empty string, and quote a word such as null"
          : "must be a string" + (node instanceof Scalar ? "; put it in quotes" : "");
      case "integer" -> schema.text(UNIT)
          .map(unit -> "must be a whole number of " + unit + ", such as 600, without quotes")
          .orElse("must be a whole number without quotes");
      case "number" -> "must be a number without quotes";
      default -> "must be true or false";
    };
  }

  private static boolean isOneOf(List<String> words, Node node) {
    return node instanceof Scalar scalar && scalar.kind() == Scalar.Kind.STRING && words.contains(scalar.text());
  }

  private static String oneOf(List<String> words, Node node) {
    String near = node instanceof Scalar scalar ? Nearest.of(scalar.text(), words).orElse("") : "";
    return "must be one of " + String.join(", ", words) + (near.isEmpty() ? "" : " (did you mean " + near + "?)");
  }

  /** Compiles a pattern; a final $ matches only at the very end, not before a last line break. */
  private Pattern pattern(String source) {
    return patterns.computeIfAbsent(source, it -> Pattern.compile(it.replaceFirst("\\$$", "\\\\z")));
  }

  private JsonObject referred(String reference) {
    return root.object("$defs").flatMap(definitions -> definitions.object(reference.replace("#/$defs/", "")))
        .orElseThrow(() -> new IllegalStateException("the schema refers to " + reference + ", which does not exist"));
  }

  private static JsonObject object(@Nullable JsonValue value) {
    if (value instanceof JsonObject object) {
      return object;
    }
    throw new IllegalStateException("not an object in the schema: " + value);
  }

  private static List<JsonValue> items(JsonValue value) {
    return value instanceof JsonValue.Items items ? items.values() : List.of(value);
  }

  private static List<String> texts(JsonValue value) {
    return items(value).stream().map(YamlSchema::text).toList();
  }

  private static String text(JsonValue value) {
    if (value instanceof JsonValue.Text text) {
      return text.value();
    }
    throw new IllegalStateException("not a string in the schema: " + value);
  }

  private static long integer(JsonValue value) {
    return Long.parseLong(literal(value));
  }

  private static String literal(JsonValue value) {
    if (value instanceof JsonValue.Numeral numeral) {
      return numeral.literal();
    }
    throw new IllegalStateException("not a number in the schema: " + value);
  }
}

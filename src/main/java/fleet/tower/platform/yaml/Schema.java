package fleet.tower.platform.yaml;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * A JSON Schema (2020-12, as much of it as our formats need) held against nodes, so that a mistake has its place. An
 * {@code errorMessage} beside a rule is what is said when the rule is broken, as editors do it. An integer is one that is
 * written as one: {@code 1.0} is none.
 */
public final class Schema {
  /** Beside a rule: what breaks it is not repeated, because it may be what nobody may see. */
  private static final String SECRET = "writeOnly";
  private static final Set<String> SAYING_NOTHING = Set.of("$schema", "$id", "$defs", "title", "description",
      "errorMessage", SECRET);

  /** What something must be at all is said by the type; an errorMessage speaks of its form. */
  private static final JsonObject NO_MESSAGE = new JsonObject(Map.of(), "", 0, 0);
  private static final JsonObject NO_VALUE = new JsonObject(Map.of(SECRET, new JsonValue.Bool(true, 0, 0)), "", 0, 0);

  private final JsonObject root;
  private final Map<String, Pattern> patterns = new ConcurrentHashMap<>();

  private Schema(JsonObject root) {
    this.root = root;
  }

  /** One broken rule. */
  public record Finding(Node.Place place, String message) {}

  /** The schema in a resource beside a class; it is shipped for editors too. */
  public static Schema of(Class<?> neighbour, String resource) {
    try (InputStream in = neighbour.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is missing from the jar");
      }
      return new Schema(JsonReader.readObject(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (JsonException e) {
      throw new IllegalStateException(resource + ": " + e.getMessage(), e);
    }
  }

  /** What is wrong with a tree. */
  public List<Finding> findings(Node node) {
    List<Finding> findings = new ArrayList<>();
    check(root, node, findings);
    return findings;
  }

  private void check(JsonObject schema, Node node, List<Finding> findings) {
    int before = findings.size();
    for (Map.Entry<String, JsonValue> rule : schema.members().entrySet()) {
      if (SAYING_NOTHING.contains(rule.getKey())) {
        continue;
      }
      apply(schema, rule.getKey(), rule.getValue(), node, findings);
      if (findings.size() > before && (rule.getKey().equals("type") || rule.getKey().equals("$ref"))) {
        return;
      }
    }
  }

  private void apply(JsonObject schema, String rule, JsonValue value, Node node, List<Finding> findings) {
    switch (rule) {
      case "$ref" -> check(referred(text(value)), node, findings);
      case "type" -> say(findings, isSecret(schema) ? NO_VALUE : NO_MESSAGE, node, isOfType(texts(value), node),
          shouldBe(texts(value), node));
      case "enum" -> say(findings, schema, node, isOneOf(texts(value), node), oneOf(texts(value), node));
      case "const" -> say(findings, schema, node, isOneOf(texts(value), node), "must be " + text(value));
      case "not" -> say(findings, schema, node, !isValid(object(value), node), "is not allowed");
      case "oneOf" -> oneOf(schema, value, node, findings);
      case "properties", "propertyNames", "additionalProperties", "required", "maxProperties" -> {
        if (node instanceof Node.Mapping mapping) {
          checkMapping(schema, rule, value, mapping, findings);
        }
      }
      case "items", "minItems", "maxItems" -> {
        if (node instanceof Node.Sequence sequence) {
          checkSequence(schema, rule, value, sequence, findings);
        }
      }
      case "pattern", "minLength", "maxLength" -> {
        if (node instanceof Scalar scalar && scalar.kind() != Scalar.Kind.NULL) {
          checkText(schema, rule, value, scalar, findings);
        }
      }
      case "minimum", "maximum" -> {
        if (node instanceof Scalar scalar && isNumber(scalar)) {
          checkNumber(schema, rule, value, scalar, findings);
        }
      }
      default -> throw new IllegalStateException("the schema has a rule that is not known here: " + rule);
    }
  }

  private static void say(List<Finding> findings, JsonObject schema, Node node, boolean isSo, String otherwise) {
    if (!isSo) {
      String message = schema.text("errorMessage").orElse(otherwise);
      findings.add(new Finding(node.place(),
          message + (node instanceof Scalar scalar && !scalar.text().isEmpty() && !isSecret(schema)
              ? ", not " + Complaints.shown(scalar.text())
              : "")));
    }
  }

  private static boolean isSecret(JsonObject schema) {
    return schema.get(SECRET) != null;
  }

  private boolean isValid(JsonObject schema, Node node) {
    List<Finding> findings = new ArrayList<>();
    check(schema, node, findings);
    return findings.isEmpty();
  }

  /** Alternatives differ in what they require, so that they can be told by it. */
  private void oneOf(JsonObject schema, JsonValue alternatives, Node node, List<Finding> findings) {
    List<String> names = new ArrayList<>();
    int valid = 0;
    for (JsonValue alternative : items(alternatives)) {
      valid += isValid(object(alternative), node) ? 1 : 0;
      JsonValue required = object(alternative).get("required");
      names.addAll(required == null ? List.of() : texts(required));
    }
    if (valid != 1 && node instanceof Node.Mapping) {
      say(findings, schema, node, false, "needs exactly one of " + String.join(", ", names)
          + (valid == 0 ? "" : ", and has more"));
    }
  }

  private void checkMapping(JsonObject schema, String rule, JsonValue value, Node.Mapping mapping,
      List<Finding> findings) {
    JsonObject properties = schema.object("properties").orElse(null);
    Set<String> known = properties == null ? Set.of() : properties.members().keySet();
    switch (rule) {
      case "properties" -> mapping.entries().stream().filter(entry -> known.contains(entry.key().text()))
          .forEach(entry -> check(object(object(value).get(entry.key().text())), entry.value(), findings));
      case "propertyNames" -> mapping.entries().forEach(entry -> check(object(value),
          new Scalar(entry.key().text(), false, entry.key().place(), List.of()), findings));
      case "additionalProperties" -> mapping.entries().stream().filter(entry -> !known.contains(entry.key().text()))
          .forEach(entry -> additional(value, entry, known, findings));
      case "required" -> {
        List<String> missing = texts(value).stream().filter(key -> mapping.entry(key).isEmpty()).toList();
        say(findings, schema, mapping, missing.isEmpty(), "needs " + String.join(", ", missing));
      }
      default -> say(findings, schema, mapping, mapping.entries().size() <= integer(value),
          "has " + mapping.entries().size() + " keys; at most " + integer(value) + " are allowed");
    }
  }

  private void additional(JsonValue rule, Node.Entry entry, Set<String> known, List<Finding> findings) {
    if (rule instanceof JsonObject schema) {
      check(schema, entry.value(), findings);
    } else {
      String name = entry.key().text();
      findings.add(new Finding(entry.key().place(), "unknown key " + Complaints.shown(name)
          + Nearest.of(name, known).map(near -> "; did you mean '" + near + "'?")
              .orElseGet(() -> "; known here are " + String.join(", ", known))));
    }
  }

  private void checkSequence(JsonObject schema, String rule, JsonValue value, Node.Sequence sequence,
      List<Finding> findings) {
    int size = sequence.items().size();
    switch (rule) {
      case "items" -> sequence.items().forEach(item -> check(object(value), item, findings));
      case "minItems" ->
        say(findings, schema, sequence, size >= integer(value), "is an empty list; write at least one");
      default -> say(findings, schema, sequence, size <= integer(value),
          "has " + size + " items; at most " + integer(value) + " are allowed");
    }
  }

  private void checkText(JsonObject schema, String rule, JsonValue value, Scalar scalar, List<Finding> findings) {
    int length = scalar.text().codePointCount(0, scalar.text().length());
    switch (rule) {
      case "pattern" -> say(findings, schema, scalar, pattern(text(value)).matcher(scalar.text()).find(),
          "must match " + text(value));
      case "minLength" -> say(findings, schema, scalar, length >= integer(value), "is empty");
      default -> say(findings, schema, scalar, length <= integer(value),
          "has " + length + " characters; at most " + integer(value) + " are allowed");
    }
  }

  private static void checkNumber(JsonObject schema, String rule, JsonValue value, Scalar scalar,
      List<Finding> findings) {
    int order = new BigDecimal(scalar.text()).compareTo(BigDecimal.valueOf(integer(value)));
    boolean isMinimum = rule.equals("minimum");
    say(findings, schema, scalar, isMinimum ? order >= 0 : order <= 0,
        "must be at " + (isMinimum ? "least " : "most ") + integer(value));
  }

  private static boolean isNumber(Scalar scalar) {
    return scalar.kind() == Scalar.Kind.INTEGER || scalar.kind() == Scalar.Kind.NUMBER;
  }

  private static boolean isOfType(List<String> types, Node node) {
    return switch (node) {
      case Node.Mapping _ -> types.contains("object");
      case Node.Sequence _ -> types.contains("array");
      case Scalar scalar -> switch (scalar.kind()) {
        case STRING -> types.contains("string");
        case INTEGER -> types.contains("integer") || types.contains("number");
        case NUMBER -> types.contains("number");
        case BOOLEAN -> types.contains("boolean");
        case NULL -> false;
      };
    };
  }

  private static String shouldBe(List<String> types, Node node) {
    boolean isNull = node instanceof Scalar scalar && scalar.kind() == Scalar.Kind.NULL;
    return switch (types.getFirst()) {
      case "object" -> "must be keys with values, each on a line of its own";
      case "array" -> "must be a list: [one, two], or a line with - for each";
      case "string" -> isNull
          ? "is nothing; write \"\" for an empty text, and quotes around a word like null"
          : "must be a text" + (node instanceof Scalar ? "; put it in quotes" : "");
      case "integer" -> "must be a whole number without quotes";
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

  /** Where a pattern ends with $, it means the very end, and not the place before a last line break. */
  private Pattern pattern(String source) {
    return patterns.computeIfAbsent(source, it -> Pattern.compile(it.replaceFirst("\\$$", "\\\\z")));
  }

  private JsonObject referred(String reference) {
    return root.object("$defs").flatMap(definitions -> definitions.object(reference.replace("#/$defs/", "")))
        .orElseThrow(() -> new IllegalStateException("the schema refers to " + reference + ", which is not there"));
  }

  private static JsonObject object(@Nullable JsonValue value) {
    if (value instanceof JsonObject object) {
      return object;
    }
    throw new IllegalStateException("no object in the schema: " + value);
  }

  private static List<JsonValue> items(JsonValue value) {
    return value instanceof JsonValue.Items items ? items.values() : List.of(value);
  }

  private static List<String> texts(JsonValue value) {
    return items(value).stream().map(Schema::text).toList();
  }

  private static String text(JsonValue value) {
    if (value instanceof JsonValue.Text text) {
      return text.value();
    }
    throw new IllegalStateException("no text in the schema: " + value);
  }

  private static long integer(JsonValue value) {
    if (value instanceof JsonValue.Numeral numeral) {
      return Long.parseLong(numeral.literal());
    }
    throw new IllegalStateException("no number in the schema: " + value);
  }
}

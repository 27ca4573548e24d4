package fleet.tower.service.mcp.tool;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.service.mcp.tool.InvalidArguments.Mistake;

/**
 * The check of arguments by a closed input schema: the types, {@code enum}, {@code pattern}, {@code minimum},
 * {@code maximum}, {@code minLength}, {@code maxLength} and {@code required} of its properties. A property with neither
 * a type nor an {@code enum} takes any value. A schema with other keywords needs a check of its own.
 */
final class ArgumentCheck {
  /** The length of the longest text that may be a misspelled word. */
  private static final int MAX_WORD = 64;
  private static final Pattern INTEGER = Pattern.compile("-?(?:0|[1-9]\\d{0,17})");
  private static final Pattern NUMBER = Pattern
      .compile("-?(?:0|[1-9]\\d{0,30})(?:\\.\\d{1,30})?(?:[eE][+-]?\\d{1,3})?");

  private final Map<String, JsonObject> properties = new LinkedHashMap<>();
  private final List<String> required;

  private ArgumentCheck(JsonObject schema) {
    schema.object("properties").ifPresent(declared -> declared.members().forEach((name, value) -> {
      if (value instanceof JsonObject property) {
        properties.put(name, property);
      }
    }));
    required = schema.texts("required");
  }

  /** The check by the input schema of a tool. */
  static ArgumentCheck of(JsonWriter definition) {
    return new ArgumentCheck(JsonReader.readOwn(definition.end()).object("inputSchema")
        .orElseThrow(() -> new IllegalStateException("a tool without an input schema")));
  }

  /** The check by a schema. */
  static ArgumentCheck ofSchema(JsonWriter schema) {
    return new ArgumentCheck(JsonReader.readOwn(schema.end()));
  }

  void require(JsonObject arguments) {
    List<Mistake> mistakes = mistakes(arguments);
    if (!mistakes.isEmpty()) {
      throw new InvalidArguments(mistakes,
          nearest(arguments).filter(json -> mistakes(JsonReader.readOwn(json)).isEmpty()).orElse(null));
    }
  }

  /** The mistakes in arguments, in the order of the properties, unknown names last. */
  List<Mistake> mistakes(JsonObject arguments) {
    List<Mistake> mistakes = new ArrayList<>();
    properties.forEach((name, schema) -> {
      JsonValue value = arguments.get(name);
      String problem = value == null ? missing(name) : problem(schema, value);
      if (problem != null) {
        mistakes.add(new Mistake("/" + name, problem));
      }
    });
    arguments.members().keySet().stream().filter(name -> !properties.containsKey(name)).sorted()
        .forEach(name -> mistakes.add(new Mistake(pointer(name), unknown(name, properties.keySet()))));
    return mistakes;
  }

  static String pointer(String name) {
    return "/" + name.replace("~", "~0").replace("/", "~1");
  }

  /** What is wrong with an argument of an unknown name. */
  static String unknown(String name, Set<String> known) {
    return "is not an argument; " + nearest(name, known).map(near -> "did you mean " + near + "?")
        .orElse(known.isEmpty() ? "the tool takes none" : "the arguments are " + String.join(", ", known));
  }

  private static Optional<String> nearest(String word, Set<String> known) {
    return word.length() > MAX_WORD ? Optional.empty() : Nearest.of(word, known);
  }

  private @Nullable String missing(String name) {
    return required.contains(name) ? "is required" : null;
  }

  private static @Nullable String problem(JsonObject schema, JsonValue value) {
    if (schema.get("type") == null && schema.get("enum") == null) {
      return null;
    }
    String type = type(schema);
    if (!isOfType(type, value)) {
      return "must be " + (type.matches("[aeiou].*") ? "an " : "a ") + type;
    }
    if (!isAllowed(schema, value)) {
      return "must be one of " + String.join(", ", allowed(schema)) + ", not " + InvalidValue.shown(text(value));
    }
    return switch (value) {
      case JsonValue.Text text -> problem(schema, text.value());
      case JsonValue.Numeral number -> problem(schema, new BigDecimal(number.literal()));
      case JsonObject _,JsonValue.Items _,JsonValue.Bool _,JsonValue.Null _ -> null;
    };
  }

  /** The type that a schema requires; an enumeration without one is of texts. */
  private static String type(JsonObject schema) {
    return schema.text("type").orElse(schema.get("enum") == null ? "" : "string");
  }

  private static Set<String> allowed(JsonObject schema) {
    Set<String> allowed = new LinkedHashSet<>();
    schema.items("enum").forEach(value -> allowed.add(text(value)));
    return allowed;
  }

  private static boolean isAllowed(JsonObject schema, JsonValue value) {
    Set<String> allowed = allowed(schema);
    return allowed.isEmpty() || allowed.contains(text(value));
  }

  private static @Nullable String problem(JsonObject schema, String text) {
    if (text.indexOf('\0') >= 0) {
      return "has the character U+0000, which cannot be stored";
    }
    int length = text.codePointCount(0, text.length());
    if (length < schema.integer("minLength").orElse(0)) {
      return "is too short";
    }
    if (length > schema.integer("maxLength").orElse(Long.MAX_VALUE)) {
      return "has " + length + " characters; at most " + schema.integer("maxLength").orElse(0) + " are allowed";
    }
    return schema.text("pattern").filter(pattern -> !Pattern.compile(pattern).matcher(text).find())
        .map(pattern -> "must match " + pattern).orElse(null);
  }

  private static @Nullable String problem(JsonObject schema, BigDecimal number) {
    if (bound(schema, "minimum").filter(least -> number.compareTo(least) < 0).isPresent()) {
      return "must be at least " + bound(schema, "minimum").get();
    }
    return bound(schema, "maximum").filter(most -> number.compareTo(most) > 0)
        .map(most -> "must be at most " + most).orElse(null);
  }

  private static Optional<BigDecimal> bound(JsonObject schema, String keyword) {
    return schema.get(keyword) instanceof JsonValue.Numeral bound
        ? Optional.of(new BigDecimal(bound.literal()))
        : Optional.empty();
  }

  private static boolean isOfType(String type, JsonValue value) {
    return switch (type) {
      case "string" -> value instanceof JsonValue.Text;
      case "integer" -> value instanceof JsonValue.Numeral number && INTEGER.matcher(number.literal()).matches();
      case "number" -> value instanceof JsonValue.Numeral number && NUMBER.matcher(number.literal()).matches();
      case "boolean" -> value instanceof JsonValue.Bool;
      case "object" -> value instanceof JsonObject;
      case "array" -> value instanceof JsonValue.Items;
      default -> !(value instanceof JsonValue.Numeral);
    };
  }

  private static String text(JsonValue value) {
    return switch (value) {
      case JsonValue.Text text -> text.value();
      case JsonValue.Numeral number -> number.literal();
      case JsonValue.Bool bool -> Boolean.toString(bool.value());
      case JsonObject _,JsonValue.Items _,JsonValue.Null _ -> "";
    };
  }

  /**
   * The arguments that were probably meant: misspelled names and values corrected, and numbers and truth values that
   * were sent as text converted. They may still be invalid. Empty if nothing can be corrected.
   */
  Optional<String> nearest(JsonObject arguments) {
    Map<String, String> meant = new LinkedHashMap<>();
    arguments.members().forEach((name, value) -> {
      Set<String> free = properties.keySet().stream().filter(known -> arguments.get(known) == null)
          .collect(Collectors.toCollection(LinkedHashSet::new));
      String known = properties.containsKey(name) ? name : nearest(name, free).orElse(name);
      JsonObject schema = properties.get(known);
      meant.put(known, schema == null ? arguments.raw(value) : nearest(schema, value, arguments.raw(value)));
    });
    JsonWriter json = JsonWriter.line();
    meant.forEach(json::raw);
    return json.end().equals(arguments.raw()) ? Optional.empty() : Optional.of(json.end());
  }

  private static String nearest(JsonObject schema, JsonValue value, String raw) {
    String type = type(schema);
    String text = text(value).strip();
    if ((isOfType(type, value) && isAllowed(schema, value)) || value instanceof JsonValue.Items
        || value instanceof JsonValue.Null || value instanceof JsonObject) {
      return raw;
    }
    if ((type.equals("integer") && INTEGER.matcher(text).matches())
        || (type.equals("number") && NUMBER.matcher(text).matches())
        || (type.equals("boolean") && Set.of("true", "false").contains(text))) {
      return text;
    }
    if (!type.equals("string")) {
      return raw;
    }
    Set<String> allowed = allowed(schema);
    if (allowed.isEmpty() || allowed.contains(text)) {
      return JsonWriter.quote(text);
    }
    return nearest(text.toLowerCase(Locale.ROOT), allowed).map(JsonWriter::quote).orElse(raw);
  }
}

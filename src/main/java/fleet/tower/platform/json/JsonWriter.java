package fleet.tower.platform.json;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Timestamps;

/** Writes a JSON object on one line or as an indented block. */
public final class JsonWriter {
  private final StringBuilder out = new StringBuilder(256);
  private final String separator;
  private final String colon;
  private final List<String> keys = new ArrayList<>();

  private JsonWriter(boolean indented) {
    separator = indented ? ",\n  " : ",";
    colon = indented ? ": " : ":";
    out.append(indented ? "{\n  " : "{");
  }

  /** {@code {"a":1,"b":2}}. */
  public static JsonWriter line() {
    return new JsonWriter(false);
  }

  /** One top-level member per line, for files that people read; nested values stay on their line. */
  public static JsonWriter block() {
    return new JsonWriter(true);
  }

  /** A string member, or null. */
  public JsonWriter put(String key, @Nullable String value) {
    if (value == null) {
      return raw(key, "null");
    }
    begin(key);
    quote(value, out);
    return this;
  }

  public JsonWriter put(String key, long value) {
    begin(key).append(value);
    return this;
  }

  public JsonWriter put(String key, boolean value) {
    begin(key).append(value);
    return this;
  }

  /** A timestamp in the format of {@link Timestamps}. */
  public JsonWriter put(String key, Instant moment) {
    return put(key, Timestamps.format(moment));
  }

  /** A member whose value is an object, or null. */
  public JsonWriter put(String key, @Nullable JsonWriter object) {
    if (object == null) {
      return raw(key, "null");
    }
    begin(key).append(object.out).append(object.close());
    return this;
  }

  /** A list of values that are already JSON. */
  public JsonWriter list(String key, Iterable<String> values) {
    return raw(key, "[" + String.join(",", values) + "]");
  }

  /** Copies all members of another object. */
  public JsonWriter members(JsonObject other) {
    other.members().forEach((name, value) -> raw(name, other.raw(value)));
    return this;
  }

  /** Adds the members of another object. */
  public JsonWriter members(JsonWriter other) {
    if (!other.keys.isEmpty()) {
      out.append(keys.isEmpty() ? "" : separator).append(other.out, other.separator.length(), other.out.length());
      keys.addAll(other.keys);
    }
    return this;
  }

  /** A member whose value is already JSON. */
  public JsonWriter raw(String key, String json) {
    begin(key).append(json);
    return this;
  }

  /** Begins a member; its value comes next. */
  private StringBuilder begin(String key) {
    out.append(keys.isEmpty() ? "" : separator);
    quote(key, out);
    keys.add(key);
    return out.append(colon);
  }

  /** Whether it has a member. */
  public boolean has(String key) {
    return keys.contains(key);
  }

  /** The complete JSON text. */
  public String end() {
    return out + close();
  }

  private String close() {
    return separator.length() > 1 ? "\n}" : "}";
  }

  /** A JSON string that is safe on one line of any file: control characters and unpaired surrogates are escaped. */
  public static String quote(String value) {
    StringBuilder quoted = new StringBuilder(value.length() + 2);
    quote(value, quoted);
    return quoted.toString();
  }

  /** Copies what lies between two characters that are escaped in one piece; almost every text has none. */
  private static void quote(String value, StringBuilder to) {
    to.append('"');
    int copied = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if ((c < ' ' || c > '~' || c == '"' || c == '\\') && isEscaped(value, i)) {
        to.append(value, copied, i).append(escape(c));
        copied = i + 1;
      }
    }
    to.append(value, copied, value.length()).append('"');
  }

  private static boolean isEscaped(String value, int i) {
    char c = value.charAt(i);
    return c < ' ' || c == '"' || c == '\\' || (c >= 0x7f && c <= 0x9f) || c == 0x2028 || c == 0x2029
        || isUnpairedSurrogate(value, i);
  }

  private static String escape(char c) {
    return switch (c) {
      case '"' -> "\\\"";
      case '\\' -> "\\\\";
      case '\n' -> "\\n";
      default -> "\\u" + hex(c);
    };
  }

  private static String hex(char c) {
    String digits = Integer.toHexString(c);
    return "0".repeat(4 - digits.length()) + digits;
  }

  private static boolean isUnpairedSurrogate(String value, int i) {
    char c = value.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 == value.length() || !Character.isLowSurrogate(value.charAt(i + 1));
    }
    return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(value.charAt(i - 1)));
  }
}

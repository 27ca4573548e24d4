package fleet.tower.operation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Nearest;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/**
 * The kind of an argument's values: how they are read from JSON, from a query and from an option of a command, how they
 * are written back, and their JSON schema. A value of another kind is read as null. Most kinds are strings in JSON.
 */
public sealed interface Kind<T> {

  /** What a value must be, as in "a whole number from 1 to 9". */
  String expected();

  /** Reads a parameter of a query. */
  @Nullable
  T read(String text);

  /** The members of its JSON schema. */
  JsonWriter schema();

  /** Reads a JSON value. */
  default @Nullable T read(JsonValue json, JsonObject in) {
    return json instanceof JsonValue.Text text ? read(text.value()) : null;
  }

  /** Reads the values of an option, of which most take one. */
  default @Nullable T readOption(List<String> values) {
    return read(values.getFirst());
  }

  /** Whether an option is repeated for several values. */
  default boolean isRepeated() {
    return false;
  }

  /** What the value of an option must be. */
  default String expectedOption() {
    return expected();
  }

  /** The valid value that is most like a text. */
  default Optional<String> nearest(String text) {
    return Optional.empty();
  }

  /** Writes a value as a parameter of a query. */
  default String text(T value) {
    return String.valueOf(value);
  }

  /** Writes a value for an option. */
  default String option(T value) {
    return text(value);
  }

  /** Writes a value as JSON. */
  default String json(T value) {
    return JsonWriter.quote(text(value));
  }

  private static JsonWriter type(String name) {
    return JsonWriter.line().put("type", name);
  }

  /**
   * A text.
   *
   * @param isStored whether it is stored as JSON, so that it may contain any character; otherwise U+0000 is refused,
   * which no database stores
   * @param most the greatest number of characters of a text that must not be blank; 0 for any text
   */
  record Text(boolean isStored, int most) implements Kind<String> {
    @Override
    public String expected() {
      return "a string" + (most > 0 ? " of 1 to " + most + " characters that is not blank" : "");
    }

    @Override
    public @Nullable String read(String text) {
      boolean isWithin = most == 0 || (!text.isBlank() && text.length() <= most);
      return isWithin && (isStored || text.indexOf('\0') < 0) ? text : null;
    }

    /** The system passes no U+0000 to a command, so names and ids are left to their own types. */
    @Override
    public @Nullable String readOption(List<String> values) {
      return most == 0 ? values.getFirst() : read(values.getFirst());
    }

    @Override
    public JsonWriter schema() {
      JsonWriter schema = type("string");
      return most == 0 ? schema : schema.put("minLength", 1).put("maxLength", most);
    }
  }

  /** A text that matches a pattern. */
  record Formed(Pattern form, String expected) implements Kind<String> {
    @Override
    public @Nullable String read(String text) {
      return form.matcher(text).matches() ? text : null;
    }

    @Override
    public JsonWriter schema() {
      return type("string").put("pattern", "^(?:" + form + ")$");
    }
  }

  /** How long an answer may be delayed. */
  record Preferred() implements Kind<Preference> {
    @Override
    public String expected() {
      return Preference.EXPECTED;
    }

    @Override
    public @Nullable Preference read(String text) {
      return Preference.parse(text);
    }

    @Override
    public String text(Preference value) {
      return value.applied();
    }

    @Override
    public JsonWriter schema() {
      return type("string");
    }
  }

  /**
   * A whole number within limits.
   *
   * @param isSpan whether it is a number of seconds, which an option of a command gives as a time span
   * @param isRounded whether such a time span may be a fraction of a second, which is rounded up
   */
  record Whole(long min, long max, boolean isSpan, boolean isRounded) implements Kind<Long> {
    /** No limit, to a reader. */
    private static final long MANY = 100_000_000_000_000_000L;
    private static final List<Map.Entry<String, Long>> UNITS = List.of(Map.entry("d", 86_400L),
        Map.entry("h", 3_600L), Map.entry("m", 60L));

    @Override
    public String expected() {
      return min < -MANY
          ? "a whole number, negative from the end"
          : "a whole number from " + min + (max > MANY ? " on" : " to " + max);
    }

    @Override
    public @Nullable Long read(String text) {
      return text.matches("-?(?:0|[1-9]\\d{0,17})") ? within(Long.parseLong(text)) : null;
    }

    private @Nullable Long within(long number) {
      return number < min || number > max ? null : Long.valueOf(number);
    }

    @Override
    public @Nullable Long read(JsonValue json, JsonObject in) {
      return json instanceof JsonValue.Numeral number ? read(number.literal()) : null;
    }

    @Override
    public String expectedOption() {
      return isSpan
          ? "a time span " + (isRounded ? "" : "of whole seconds ") + "from " + option(min) + " to " + option(max)
              + ", such as 90s, 15m or 8h"
          : expected();
    }

    @Override
    public @Nullable Long readOption(List<String> values) {
      if (!isSpan) {
        return read(values.getFirst());
      }
      Duration span = TimeSpans.parse(values.getFirst()).orElse(null);
      return span == null || (span.toMillisPart() > 0 && !isRounded) ? null : within(span.plusMillis(999).toSeconds());
    }

    /** A time span in the largest unit that fits. */
    @Override
    public String option(Long value) {
      return !isSpan
          ? text(value)
          : UNITS.stream().filter(unit -> value > 0 && value % unit.getValue() == 0).findFirst()
              .map(unit -> value / unit.getValue() + unit.getKey()).orElse(value + "s");
    }

    @Override
    public String json(Long value) {
      return text(value);
    }

    @Override
    public JsonWriter schema() {
      JsonWriter schema = type("integer").put("minimum", min);
      return max == Long.MAX_VALUE ? schema : schema.put("maximum", max);
    }
  }

  /** True or false; a flag of a command. */
  record Flag() implements Kind<Boolean> {
    @Override
    public String expected() {
      return "true or false";
    }

    @Override
    public @Nullable Boolean read(String text) {
      return text.matches("true|false") ? Boolean.valueOf(text) : null;
    }

    @Override
    public @Nullable Boolean read(JsonValue json, JsonObject in) {
      return json instanceof JsonValue.Bool bool ? Boolean.valueOf(bool.value()) : null;
    }

    /** An option is given or not. */
    @Override
    public Boolean readOption(List<String> values) {
      return true;
    }

    @Override
    public String json(Boolean value) {
      return text(value);
    }

    @Override
    public JsonWriter schema() {
      return type("boolean");
    }
  }

  /** One of several words. */
  record Word(List<String> words) implements Kind<String> {
    public Word {
      words = List.copyOf(words);
    }

    @Override
    public String expected() {
      return words.size() == 1
          ? words.getFirst()
          : String.join(", ", words.subList(0, words.size() - 1)) + " or " + words.getLast();
    }

    @Override
    public @Nullable String read(String text) {
      return words.contains(text) ? text : null;
    }

    @Override
    public Optional<String> nearest(String text) {
      return Nearest.of(text, words);
    }

    @Override
    public JsonWriter schema() {
      return JsonWriter.line().list("enum", words.stream().map(JsonWriter::quote).toList());
    }
  }

  /**
   * A list of texts; an option of a command is repeated.
   *
   * @param most the greatest number of texts of a list that must not be empty; 0 for any number
   */
  record Texts(int most) implements Kind<List<String>> {
    @Override
    public String expected() {
      return most == 0 ? "a list of strings" : "a list of 1 to " + most + " strings";
    }

    @Override
    public @Nullable List<String> read(String text) {
      return within(List.of(text.split(",", -1)));
    }

    private @Nullable List<String> within(List<String> texts) {
      return most == 0 || (!texts.isEmpty() && texts.size() <= most) ? texts : null;
    }

    @Override
    public @Nullable List<String> read(JsonValue json, JsonObject in) {
      return json instanceof JsonValue.Items(var values, var _, var _)
          && values.stream().allMatch(JsonValue.Text.class::isInstance)
              ? within(values.stream().map(value -> ((JsonValue.Text) value).value()).toList())
              : null;
    }

    @Override
    public boolean isRepeated() {
      return true;
    }

    @Override
    public @Nullable List<String> readOption(List<String> values) {
      return within(values);
    }

    @Override
    public String text(List<String> value) {
      return String.join(",", value);
    }

    @Override
    public String json(List<String> value) {
      return value.stream().map(JsonWriter::quote).collect(Collectors.joining(",", "[", "]"));
    }

    @Override
    public JsonWriter schema() {
      JsonWriter schema = type("array").put("items", type("string"));
      return most == 0 ? schema : schema.put("minItems", 1).put("maxItems", most);
    }
  }

  /** A JSON object; an option of a command is repeated for its members. */
  record Members() implements Kind<JsonObject> {
    @Override
    public String expected() {
      return "an object";
    }

    @Override
    public @Nullable JsonObject read(String text) {
      return null;
    }

    @Override
    public @Nullable JsonObject read(JsonValue json, JsonObject in) {
      return json instanceof JsonObject object ? object : null;
    }

    @Override
    public boolean isRepeated() {
      return true;
    }

    @Override
    public String expectedOption() {
      return "K=V";
    }

    @Override
    public @Nullable JsonObject readOption(List<String> values) {
      JsonWriter members = JsonWriter.line();
      for (String value : values) {
        int equals = value.indexOf('=');
        if (equals <= 0 || members.has(value.substring(0, equals))) {
          return null;
        }
        members.put(value.substring(0, equals), value.substring(equals + 1));
      }
      return JsonReader.readOwn(members.end());
    }

    @Override
    public String json(JsonObject value) {
      return value.raw();
    }

    @Override
    public JsonWriter schema() {
      return type("object");
    }
  }

  /** Any JSON value, as it was written. */
  record Json() implements Kind<String> {
    @Override
    public String expected() {
      return "any JSON value";
    }

    @Override
    public String read(String text) {
      return JsonWriter.quote(text);
    }

    @Override
    public String read(JsonValue json, JsonObject in) {
      return in.raw(json);
    }

    @Override
    public String json(String value) {
      return value;
    }

    @Override
    public JsonWriter schema() {
      return JsonWriter.line();
    }
  }

  /** A moment in UTC. */
  record Moment() implements Kind<Instant> {
    @Override
    public String expected() {
      return "a UTC time like 2026-01-31T08:00:00Z";
    }

    @Override
    public String expectedOption() {
      return "a time span before now such as 8h, or " + expected();
    }

    @Override
    public @Nullable Instant read(String text) {
      return Timestamps.parse(text).orElse(null);
    }

    @Override
    public String text(Instant value) {
      return Timestamps.format(value);
    }

    @Override
    public JsonWriter schema() {
      return type("string").put("format", "date-time");
    }
  }
}

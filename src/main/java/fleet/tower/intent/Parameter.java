package fleet.tower.intent;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.CanonicalJson;
import fleet.tower.platform.json.JsonWriter;

/**
 * A parameter of an intent.
 *
 * @param defaultValue the value used when none is given, as written; null if there is none
 * @param secret masked in everything that a run shows, and passed in the environment only
 */
public record Parameter(String name, Type type, boolean required, @Nullable String defaultValue, boolean secret,
    Limits limits, String description) {
  /** The type of a value. */
  public enum Type {
    STRING, INTEGER, NUMBER, BOOLEAN;

    /** The JSON of a value. Steps get its text, so a number that JSON would not keep as it is written is a string. */
    public String json(String text) {
      return switch (this) {
        case BOOLEAN -> text;
        case INTEGER, NUMBER -> CanonicalJson.isExact(text) ? text : JsonWriter.quote(text);
        case STRING -> JsonWriter.quote(text);
      };
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The constraints on a value; a null or an empty list is no constraint. */
  public record Limits(@Nullable Pattern pattern, List<String> allowed, @Nullable BigDecimal minimum,
      @Nullable BigDecimal maximum) {
    public static final Limits NONE = new Limits(null, List.of(), null, null);

    public Limits {
      allowed = List.copyOf(allowed);
    }
  }

  /** The environment variable that holds the value in every step. */
  public String variable() {
    return "PARAM_" + name.toUpperCase(Locale.ROOT);
  }
}

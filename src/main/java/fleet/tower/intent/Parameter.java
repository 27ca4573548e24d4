package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * One parameter of an intent.
 *
 * @param fallback its value when none is given, as written; null where there is none
 * @param secret masked wherever a run shows anything, and handed over by environment only
 */
public record Parameter(String name, Type type, boolean required, @Nullable String fallback, boolean secret,
    Limits limits, String description) {
  public Parameter {
    requireNonNull(name);
    requireNonNull(type);
    requireNonNull(limits);
    requireNonNull(description);
  }

  /** What a value must look like. */
  public enum Type {
    STRING, INTEGER, NUMBER, BOOLEAN;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What a value of the type must keep to; a null or an empty list asks for nothing. */
  public record Limits(@Nullable Pattern pattern, List<String> allowed, @Nullable BigDecimal minimum,
      @Nullable BigDecimal maximum) {
    public static final Limits NONE = new Limits(null, List.of(), null, null);

    public Limits {
      allowed = List.copyOf(allowed);
    }
  }

  /** The environment variable that every step finds the value in. */
  public String variable() {
    return "PARAM_" + name.toUpperCase(Locale.ROOT);
  }
}

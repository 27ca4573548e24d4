package fleet.tower.platform.json;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.TreeMap;

/**
 * The canonical form of JSON by RFC 8785 (JCS). Two texts of the same value have the same canonical form, whatever
 * their layout, their escapes and the order of their members.
 *
 * <p>Numbers are IEEE 754 doubles, as the RFC requires: an integer beyond 2^53 may have the form of a neighbour.
 */
public final class CanonicalJson {
  /** The largest exponent of a number that is written without one, and the smallest, by ECMA-262. */
  private static final int MAX_PLAIN = 21;
  private static final int MIN_PLAIN = -5;

  private final StringBuilder out = new StringBuilder();

  private CanonicalJson() {}

  /**
   * The canonical form of a value.
   *
   * @throws IllegalArgumentException if it has none: a text has an unpaired surrogate, or a number is too large
   */
  public static String of(JsonValue value) {
    CanonicalJson json = new CanonicalJson();
    json.write(value);
    return json.out.toString();
  }

  private void write(JsonValue value) {
    switch (value) {
      case JsonObject object -> write(object);
      case JsonValue.Items items -> write(items.values());
      case JsonValue.Text text -> quote(text.value());
      case JsonValue.Numeral numeral -> out.append(number(numeral.literal()));
      case JsonValue.Bool bool -> out.append(bool.value());
      case JsonValue.Null _ -> out.append("null");
    }
  }

  /** Members are ordered by the UTF-16 code units of their keys, as {@link String#compareTo} does. */
  private void write(JsonObject object) {
    String separator = "{";
    for (var member : new TreeMap<>(object.members()).entrySet()) {
      out.append(separator);
      quote(member.getKey());
      out.append(':');
      write(member.getValue());
      separator = ",";
    }
    out.append(object.members().isEmpty() ? "{}" : "}");
  }

  private void write(List<JsonValue> values) {
    out.append('[');
    for (int i = 0; i < values.size(); i++) {
      out.append(i == 0 ? "" : ",");
      write(values.get(i));
    }
    out.append(']');
  }

  private void quote(String text) {
    out.append('"');
    text.codePoints().forEach(c -> {
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) {
        throw new IllegalArgumentException("a text with an unpaired surrogate has no canonical form");
      }
      escape(c);
    });
    out.append('"');
  }

  private void escape(int c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\b' -> out.append("\\b");
      case '\f' -> out.append("\\f");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default -> {
        if (c < ' ') {
          out.append(String.format("\\u%04x", c));
        } else {
          out.appendCodePoint(c);
        }
      }
    }
  }

  /** Whether a numeral is its own canonical form, so that no other one has the same. */
  public static boolean isExact(String literal) {
    return Double.isFinite(Double.parseDouble(literal)) && number(literal).equals(literal);
  }

  /** A number as ECMA-262 writes it: its fewest digits, with an exponent if it is very large or very small. */
  private static String number(String literal) {
    double value = Double.parseDouble(literal);
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("number " + literal + " is too large");
    }
    if (value == 0) {
      return "0";
    }
    BigDecimal shortest = shortest(Math.abs(value));
    String digits = shortest.unscaledValue().toString();
    return (value < 0 ? "-" : "") + placed(digits, digits.length() - shortest.scale());
  }

  /** The number with the fewest digits that is read as the value; Java writes at least two. */
  private static BigDecimal shortest(double value) {
    BigDecimal written = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    BigDecimal oneDigit = written.round(new MathContext(1)).stripTrailingZeros();
    return oneDigit.doubleValue() == value ? oneDigit : written;
  }

  /** @param point the number of digits before the decimal point; negative for zeros after it */
  private static String placed(String digits, int point) {
    int count = digits.length();
    if (point > MAX_PLAIN || point < MIN_PLAIN) {
      int exponent = point - 1;
      return digits.charAt(0) + (count == 1 ? "" : "." + digits.substring(1)) + "e" + (exponent < 0 ? "" : "+")
          + exponent;
    }
    if (point <= 0) {
      return "0." + "0".repeat(-point) + digits;
    }
    return point >= count
        ? digits + "0".repeat(point - count)
        : digits.substring(0, point) + "." + digits.substring(point);
  }
}

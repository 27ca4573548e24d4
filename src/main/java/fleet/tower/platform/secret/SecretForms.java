package fleet.tower.platform.secret;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * The forms in which a program may print a secret.
 * <ul>
 * <li>the secret itself, however short, also without trailing newlines, and each of its lines of at least 8
 * characters;
 * <li>from 6 bytes on: base64, standard and for URLs, with and without padding, wrapped, and inside longer data,
 * where the characters that the secret alone determines are masked; hexadecimal; URL-encoded by the common rules; as
 * a JSON string; quoted for a shell.
 * </ul>
 *
 * <p>A secret shorter than 6 bytes is not searched in other forms: they would be so short that they mask unrelated
 * text.
 */
final class SecretForms {
  static final int SHORTEST_ENCODED = 6;
  static final int SHORTEST_LINE = 8;
  private static final int[] BASE64_LINES = {76, 64};
  private static final String UNRESERVED = "-._~";
  /**
   * The characters that encoders keep besides letters and digits: RFC 3986, forms, encodeURIComponent, encodeURI,
   * curl and so on.
   */
  private static final List<String> LEFT_BY_URL_ENCODERS = List.of(UNRESERVED, "-._*", "-._~/", "-_.!~*'()",
      "-_.!~*'();/?:@&=+$,#", "");

  private final Set<String> forms = new LinkedHashSet<>();

  private SecretForms() {}

  /** The bytes of every form of every value. */
  static Collection<byte[]> of(Collection<String> values) {
    SecretForms forms = new SecretForms();
    for (String value : values) {
      forms.addValue(value);
      String stripped = value.replaceAll("[\r\n]+$", "");
      forms.addValue(stripped);
      stripped.lines().filter(line -> line.length() >= SHORTEST_LINE).forEach(forms::addValue);
    }
    return forms.forms.stream().map(form -> form.getBytes(StandardCharsets.UTF_8)).toList();
  }

  private void addValue(String value) {
    if (value.isEmpty() || !forms.add(value)) {
      return;
    }
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    if (bytes.length >= SHORTEST_ENCODED) {
      addBase64(bytes);
      addHex(bytes);
      addUrlEncoded(bytes);
      addJson(value);
      addShell(value);
    }
  }

  private void add(String form) {
    if (form.length() >= SHORTEST_ENCODED) {
      forms.add(form);
    }
  }

  private void addBase64(byte[] bytes) {
    for (Base64.Encoder encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
      for (int before = 0; before < 3; before++) {
        byte[] shifted = new byte[before + bytes.length];
        System.arraycopy(bytes, 0, shifted, before, bytes.length);
        String padded = encoder.encodeToString(shifted);
        int from = (before * 8 + 5) / 6;
        add(padded.substring(from, shifted.length * 8 / 6));
        add(padded.substring(from).replace("=", ""));
        add(padded.substring(from));
      }
      String whole = encoder.encodeToString(bytes);
      for (int width : BASE64_LINES) {
        for (int from = 0; whole.length() > width && from < whole.length(); from += width) {
          add(whole.substring(from, Math.min(whole.length(), from + width)));
        }
      }
    }
  }

  private void addHex(byte[] bytes) {
    add(HexFormat.of().formatHex(bytes));
    add(HexFormat.of().withUpperCase().formatHex(bytes));
  }

  private void addUrlEncoded(byte[] bytes) {
    for (String left : LEFT_BY_URL_ENCODERS) {
      String encoded = percent(bytes, c -> isAlphanumeric(c) || left.indexOf(c) >= 0);
      for (String form : List.of(encoded, encoded.replace("%20", "+"))) {
        add(form);
        add(lowerHex(form));
      }
    }
    String everything = percent(bytes, _ -> false);
    add(everything);
    add(lowerHex(everything));
  }

  private static String percent(byte[] bytes, IntPredicate left) {
    StringBuilder encoded = new StringBuilder();
    for (byte one : bytes) {
      int c = one & 0xff;
      if (left.test(c)) {
        encoded.append((char) c);
      } else {
        encoded.append(String.format(Locale.ROOT, "%%%02X", c));
      }
    }
    return encoded.toString();
  }

  private static String lowerHex(String encoded) {
    StringBuilder lower = new StringBuilder(encoded);
    for (int i = encoded.indexOf('%'); i >= 0; i = encoded.indexOf('%', i + 3)) {
      lower.setCharAt(i + 1, Character.toLowerCase(encoded.charAt(i + 1)));
      lower.setCharAt(i + 2, Character.toLowerCase(encoded.charAt(i + 2)));
    }
    return lower.toString();
  }

  private static boolean isAlphanumeric(int c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  private void addJson(String value) {
    List<IntPredicate> escapedBesides = new ArrayList<>();
    escapedBesides.add(_ -> false);
    escapedBesides.add(c -> c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029');
    escapedBesides.add(c -> c > 0x7e);
    for (IntPredicate also : escapedBesides) {
      for (String digits : List.of("\\u%04x", "\\u%04X")) {
        String json = escaped(value, c -> json(c, also, digits));
        add(json);
        add(json.replace("/", "\\/"));
      }
    }
  }

  private static String json(int c, IntPredicate also, String digits) {
    return switch (c) {
      case '"' -> "\\\"";
      case '\\' -> "\\\\";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      case '\b' -> "\\b";
      case '\f' -> "\\f";
      default -> c < 0x20 || also.test(c) ? String.format(Locale.ROOT, digits, c) : Character.toString((char) c);
    };
  }

  private void addShell(String value) {
    add(value.replace("'", "'\\''"));
    add(value.replace("'", "'\"'\"'"));
    add(escaped(value, c -> "\"$`\\".indexOf(c) >= 0 ? "\\" + (char) c : Character.toString((char) c)));
    add(escaped(value, c -> isAlphanumeric(c) || c > 0x7e || "_-./:=@%+,".indexOf(c) >= 0
        ? Character.toString((char) c)
        : "\\" + (char) c));
    // printf %q keeps characters that are neither first nor special to the shell
    add(escaped(value, c -> " \t|&;()<>$`\"'\\*?[]{}!^,".indexOf(c) >= 0
        ? "\\" + (char) c
        : Character.toString((char) c)));
    add(escaped(value, SecretForms::ansi));
  }

  /** A character inside {@code $'…'}, as {@code set -x} prints strings with control characters. */
  private static String ansi(int c) {
    return switch (c) {
      case '\'' -> "\\'";
      case '\\' -> "\\\\";
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      case 0x1b -> "\\E";
      default -> c < 0x20 ? String.format(Locale.ROOT, "\\%03o", c) : Character.toString((char) c);
    };
  }

  private static String escaped(String value, IntFunction<String> each) {
    StringBuilder escaped = new StringBuilder();
    value.chars().forEach(c -> escaped.append(each.apply(c)));
    return escaped.toString();
  }
}

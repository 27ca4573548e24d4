package fleet.tower.platform.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A strict JSON parser: RFC 8259 only, distinct keys, at most {@value #MAX_DEPTH} levels. Two parsers that disagree
 * about a lock file would disagree about who holds the lock, so ambiguous input is rejected.
 */
public final class JsonReader {
  private static final int MAX_DEPTH = 64;
  /** The length to which a text is cut in messages. */
  private static final int MAX_SHOWN = 40;
  private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?");

  private final String source;
  private int at;
  private int depth;

  private JsonReader(String source) {
    this.source = source;
  }

  /** Reads an object from bytes that must be valid UTF-8. */
  public static JsonObject readObject(byte[] utf8) throws JsonException {
    try {
      return readObject(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
    } catch (CharacterCodingException e) {
      throw new JsonException("not valid UTF-8");
    }
  }

  /** Reads an object, which may be surrounded by white space only. */
  public static JsonObject readObject(String source) throws JsonException {
    if (readValue(source) instanceof JsonObject object) {
      return object;
    }
    throw new JsonException("not an object");
  }

  /** Reads an object that this program has written. */
  public static JsonObject readOwn(String written) {
    try {
      return readObject(written);
    } catch (JsonException e) {
      throw new IllegalStateException("not JSON: " + written, e);
    }
  }

  /** Reads a value of any type, which may be surrounded by white space only. */
  public static JsonValue readValue(String source) throws JsonException {
    JsonReader reader = new JsonReader(source);
    JsonValue value = reader.value();
    reader.skipSpace();
    if (reader.at < source.length()) {
      throw reader.problem("text after the end of the value");
    }
    return value;
  }

  private JsonValue value() throws JsonException {
    skipSpace();
    int start = at;
    return switch (peek()) {
      case '{' -> nested(() -> object(start));
      case '[' -> nested(() -> items(start));
      case '"' -> new JsonValue.Text(string(), start, at);
      case 't' -> keyword("true", new JsonValue.Bool(true, start, start + 4));
      case 'f' -> keyword("false", new JsonValue.Bool(false, start, start + 5));
      case 'n' -> keyword("null", new JsonValue.Null(start, start + 4));
      default -> number(start);
    };
  }

  private interface Part {
    JsonValue read() throws JsonException;
  }

  private JsonValue nested(Part part) throws JsonException {
    if (++depth > MAX_DEPTH) {
      throw problem("nested deeper than " + MAX_DEPTH);
    }
    at++;
    JsonValue value = part.read();
    depth--;
    return value;
  }

  private JsonValue object(int start) throws JsonException {
    Map<String, JsonValue> members = new LinkedHashMap<>();
    skipSpace();
    if (!skip('}')) {
      do {
        skipSpace();
        if (peek() != '"') {
          throw problem("a key must be a string");
        }
        String key = string();
        skipSpace();
        expect(':');
        if (members.put(key, value()) != null) {
          throw problem("duplicate key " + JsonWriter.quote(shortened(key)));
        }
        skipSpace();
      } while (skip(','));
      expect('}');
    }
    return new JsonObject(members, source, start, at);
  }

  private static String shortened(String text) {
    return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
  }

  private JsonValue items(int start) throws JsonException {
    List<JsonValue> values = new ArrayList<>();
    skipSpace();
    if (!skip(']')) {
      do {
        values.add(value());
        skipSpace();
      } while (skip(','));
      expect(']');
    }
    return new JsonValue.Items(values, start, at);
  }

  /** Reads a string; most contain no escapes and are copied as they are. */
  private String string() throws JsonException {
    int start = at + 1;
    int end = start;
    while (end < source.length() && isPlain(source.charAt(end))) {
      end++;
    }
    if (end < source.length() && source.charAt(end) == '"') {
      at = end + 1;
      return source.substring(start, end);
    }
    return escapedString();
  }

  private static boolean isPlain(char c) {
    return c >= ' ' && c != '"' && c != '\\';
  }

  private String escapedString() throws JsonException {
    StringBuilder text = new StringBuilder();
    at++;
    for (;;) {
      char c = peek();
      at++;
      if (c == '"') {
        return text.toString();
      }
      if (c == '\\') {
        text.append(escape());
      } else if (c < ' ') {
        throw problem("unescaped control character in a string");
      } else {
        text.append(c);
      }
    }
  }

  private char escape() throws JsonException {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> unicode();
      default -> throw problem("unknown escape");
    };
  }

  private char unicode() throws JsonException {
    int code = 0;
    for (int i = 0; i < 4; i++, at++) {
      char c = peek();
      int digit = c < 128 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw problem("\\u without four hexadecimal digits");
      }
      code = code * 16 + digit;
    }
    return (char) code;
  }

  private JsonValue number(int start) throws JsonException {
    int end = start;
    while (end < source.length() && "+-.eE0123456789".indexOf(source.charAt(end)) >= 0) {
      end++;
    }
    String literal = source.substring(start, end);
    if (!isNatural(literal) && !NUMBER.matcher(literal).matches()) {
      throw problem("not a value");
    }
    at = end;
    return new JsonValue.Numeral(literal, start, end);
  }

  /** Recognizes most numbers of a lock faster than the pattern. */
  private static boolean isNatural(String literal) {
    for (int i = 0; i < literal.length(); i++) {
      if (literal.charAt(i) < '0' || literal.charAt(i) > '9') {
        return false;
      }
    }
    return !literal.isEmpty() && (literal.charAt(0) != '0' || literal.length() == 1);
  }

  private JsonValue keyword(String keyword, JsonValue value) throws JsonException {
    if (!source.startsWith(keyword, at)) {
      throw problem("not a value");
    }
    at += keyword.length();
    return value;
  }

  private void skipSpace() {
    while (at < source.length() && isSpace(source.charAt(at))) {
      at++;
    }
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
  }

  private char peek() throws JsonException {
    if (at >= source.length()) {
      throw new JsonException(source.isBlank() ? "empty" : "it ends in the middle (cut off at character " + at + ")");
    }
    return source.charAt(at);
  }

  private boolean skip(char c) {
    boolean isNext = at < source.length() && source.charAt(at) == c;
    if (isNext) {
      at++;
    }
    return isNext;
  }

  private void expect(char c) throws JsonException {
    if (peek() != c) {
      throw problem("expected '" + c + "'");
    }
    at++;
  }

  private JsonException problem(String what) {
    return new JsonException(what + " (at character " + at + ")");
  }
}

package fleet.tower.mailbox;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * What a message says: any JSON value, which comes out as it went in.
 *
 * @param json the value's text, of characters that every database takes
 */
public record Body(String json) {
  public static final int MAX_BYTES = 256 * 1024;

  public Body {
    requireNonNull(json);
    try {
      JsonReader.readValue(json);
    } catch (JsonException e) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the message's body is not JSON: " + e.getMessage());
    }
    json = escaped(json.strip());
    int bytes = json.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_BYTES) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the message's body has " + bytes + " bytes; at most "
          + MAX_BYTES + " are allowed: put it in a file or a store, and send where it is");
    }
  }

  /** A body that is a text, whatever is in it. */
  public static Body text(String text) {
    return new Body(JsonWriter.quote(text));
  }

  /** The text that the body is; nothing where it is some other value. */
  public Optional<String> text() {
    try {
      return JsonReader.readValue(json) instanceof JsonValue.Text text ? Optional.of(text.value()) : Optional.empty();
    } catch (JsonException e) {
      throw new IllegalStateException("it was JSON before", e);
    }
  }

  /** Half surrogate pairs stand in strings only, where they mean the same escaped. */
  private static String escaped(String json) {
    if (json.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
      return json;
    }
    StringBuilder escaped = new StringBuilder(json.length());
    json.codePoints().forEach(c -> {
      if (Character.isBmpCodePoint(c) && Character.isSurrogate((char) c)) {
        escaped.append("\\u").append(Integer.toHexString(c));
      } else {
        escaped.appendCodePoint(c);
      }
    });
    return escaped.toString();
  }

  @Override
  public String toString() {
    return json;
  }
}

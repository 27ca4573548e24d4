package fleet.tower.mailbox;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The content of a message: any JSON value, stored and returned unchanged.
 *
 * @param json the value's text, of characters that every database accepts
 */
public record MessageBody(String json) {
  public static final int MAX_BYTES = 256 * 1024;

  public MessageBody {
    try {
      JsonReader.readValue(json);
    } catch (JsonException e) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the message's body is not JSON: " + e.getMessage());
    }
    json = escaped(json.strip());
    int bytes = bytes(json);
    if (bytes > MAX_BYTES) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the message's body has " + bytes + " bytes; the limit is "
          + MAX_BYTES + ": store it elsewhere and send a reference");
    }
  }

  private static int bytes(String json) {
    return json.getBytes(StandardCharsets.UTF_8).length;
  }

  /** The length of its text in bytes. */
  public int bytes() {
    return bytes(json);
  }

  /** A body with a JSON string. */
  public static MessageBody text(String text) {
    return new MessageBody(JsonWriter.quote(text));
  }

  /** The string, if the body is a JSON string. */
  public Optional<String> text() {
    try {
      return JsonReader.readValue(json) instanceof JsonValue.Text text ? Optional.of(text.value()) : Optional.empty();
    } catch (JsonException e) {
      throw new IllegalStateException("the body was valid JSON before", e);
    }
  }

  /** Escapes unpaired surrogates. They occur in strings only, where the escape means the same. */
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

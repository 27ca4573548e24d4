package fleet.tower.service.mcp.wire;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;

/**
 * The members that every JSON-RPC message has.
 *
 * @param id the id as JSON; null for a notification
 */
record Envelope(@Nullable String id, JsonObject json) {
  static final JsonObject NO_PARAMS = new JsonObject(Map.of(), "{}", 0, 2);
  private static final Pattern INTEGER = Pattern.compile("-?\\d+");

  /** Reads bytes that must be one JSON object in UTF-8. */
  static Envelope read(byte[] utf8) {
    JsonObject json = object(utf8);
    return new Envelope(id(json), json);
  }

  private static JsonObject object(byte[] utf8) {
    try {
      JsonValue value = JsonReader
          .readValue(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString());
      return switch (value) {
        case JsonObject object -> object;
        case JsonValue.Items _ -> throw invalid("a batch is not supported; send one message at a time");
        case JsonValue.Text _,JsonValue.Numeral _,JsonValue.Bool _,JsonValue.Null _ ->
          throw invalid("a message must be an object");
      };
    } catch (CharacterCodingException e) {
      throw new ProtocolError(ProtocolError.PARSE_ERROR, "the message is not JSON: not valid UTF-8");
    } catch (JsonException e) {
      throw new ProtocolError(ProtocolError.PARSE_ERROR, "the message is not JSON: " + e.getMessage());
    }
  }

  private static @Nullable String id(JsonObject json) {
    JsonValue id = json.get("id");
    if (id == null) {
      return null;
    }
    if (id instanceof JsonValue.Text) {
      return requireSendable(json.raw(id));
    }
    if (id instanceof JsonValue.Numeral number && INTEGER.matcher(number.literal()).matches()) {
      return json.raw(id);
    }
    throw invalid("'id' must be a string or an integer");
  }

  /** An answer repeats the id of its request exactly. */
  private static String requireSendable(String id) {
    if (!new SentMessage(id).json().equals(id)) {
      throw invalid("'id' has control or invisible characters; leave them out");
    }
    return id;
  }

  /** The method; null for a response. */
  @Nullable
  String method() {
    if (!json.text("jsonrpc").filter("2.0"::equals).isPresent()) {
      throw invalid("'jsonrpc' must be \"2.0\"");
    }
    JsonValue method = json.get("method");
    if (method instanceof JsonValue.Text text) {
      return text.value();
    }
    if (method != null) {
      throw invalid("'method' must be a string");
    }
    if (json.get("result") == null && json.get("error") == null) {
      throw invalid("'method' is missing");
    }
    return null;
  }

  JsonObject params() {
    JsonValue params = json.get("params");
    if (params == null) {
      return NO_PARAMS;
    }
    if (params instanceof JsonObject object) {
      return object;
    }
    throw ProtocolError.invalidParams("'params' must be an object");
  }

  private static ProtocolError invalid(String problem) {
    return new ProtocolError(ProtocolError.INVALID_REQUEST, problem);
  }
}

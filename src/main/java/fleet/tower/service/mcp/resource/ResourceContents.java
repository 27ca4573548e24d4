package fleet.tower.service.mcp.resource;

import java.time.Duration;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.SentMessage;

/**
 * The contents of a resource.
 *
 * @param members the members of the contents without the address: {@code mimeType}, and {@code text} or {@code blob}
 *
 * @param fresh how long a client may use them before it reads them again
 */
public record ResourceContents(JsonWriter members, Duration fresh) {

  /** Text, such as {@code text/plain}. */
  public static ResourceContents text(String mimeType, String text, Duration fresh) {
    return new ResourceContents(JsonWriter.line().put("mimeType", mimeType).put("text", text), fresh);
  }

  /** A JSON object; it is filtered here, because inside of a text its escapes are just characters. */
  public static ResourceContents json(String json, Duration fresh) {
    return text("application/json", new SentMessage(json).json(), fresh);
  }
}

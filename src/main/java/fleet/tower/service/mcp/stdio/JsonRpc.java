package fleet.tower.service.mcp.stdio;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.wire.SentMessage;

/** The error messages of the transport itself. */
final class JsonRpc {
  private JsonRpc() {}

  /** @param id null if the message has none that can be read */
  static SentMessage error(@Nullable String id, int code, String message) {
    return error(id, JsonWriter.line().put("code", code).put("message", message));
  }

  static SentMessage error(@Nullable String id, int code, String message, JsonWriter data) {
    return error(id, JsonWriter.line().put("code", code).put("message", message).put("data", data));
  }

  private static SentMessage error(@Nullable String id, JsonWriter error) {
    JsonWriter answer = JsonWriter.line().put("jsonrpc", "2.0");
    return new SentMessage((id == null ? answer : answer.raw("id", id)).put("error", error).end());
  }
}

package fleet.tower.service.mcp.stdio;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;

/** The error messages of the transport itself. */
final class JsonRpc {
  private JsonRpc() {}

  /** @param id null if the message has none that can be read */
  static String error(@Nullable String id, int code, String message) {
    return error(id, JsonWriter.line().put("code", code).put("message", message));
  }

  static String error(@Nullable String id, int code, String message, JsonWriter data) {
    return error(id, JsonWriter.line().put("code", code).put("message", message).put("data", data));
  }

  private static String error(@Nullable String id, JsonWriter error) {
    JsonWriter answer = JsonWriter.line().put("jsonrpc", "2.0");
    return (id == null ? answer : answer.raw("id", id)).put("error", error).end();
  }

  /** JSON on one line. Line breaks in JSON occur only between values. */
  static String oneLine(String json) {
    return json.replace('\r', ' ').replace('\n', ' ').strip();
  }
}

package fleet.tower.service.mcp.wire;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;

/**
 * A message that answers a message of the client.
 *
 * @param status the status of the HTTP response that carries it, if that has not begun
 * @param message the message
 */
public record McpReply(int status, SentMessage message) {
  private static final int OK = 200;
  private static final int BAD_REQUEST = 400;
  private static final int NOT_FOUND = 404;

  /** The reply of a JSON text. */
  McpReply(int status, String json) {
    this(status, new SentMessage(json));
  }

  static McpReply result(String id, JsonWriter result) {
    return new McpReply(OK, message(id).put("result", result).end());
  }

  /** The answer to a request that failed after its method was found. */
  public static McpReply error(String id, ProtocolError error) {
    return switch (error.code()) {
      case ProtocolError.HEADER_MISMATCH, ProtocolError.MISSING_CAPABILITY, ProtocolError.UNSUPPORTED_VERSION ->
        malformed(id, error);
      default -> new McpReply(OK, text(id, error));
    };
  }

  /**
   * The answer to a message that is not a valid request.
   *
   * @param id null if it has none that can be read
   */
  static McpReply malformed(@Nullable String id, ProtocolError error) {
    return new McpReply(BAD_REQUEST, text(id, error));
  }

  /** The answer to a request for an unknown method, which older revisions do not distinguish by status. */
  static McpReply unknownMethod(String id, Revision revision, ProtocolError error) {
    return new McpReply(revision.isModern() ? NOT_FOUND : OK, text(id, error));
  }

  /** An error that belongs to no request, such as one of a transport. */
  public static McpReply refusal(int status, ProtocolError error) {
    return new McpReply(status, text(null, error));
  }

  private static String text(@Nullable String id, ProtocolError error) {
    JsonWriter json = JsonWriter.line().put("code", error.code()).put("message", error.getMessage());
    JsonWriter data = error.data();
    return message(id).put("error", data == null ? json : json.put("data", data)).end();
  }

  private static JsonWriter message(@Nullable String id) {
    JsonWriter json = JsonWriter.line().put("jsonrpc", "2.0");
    return id == null ? json : json.raw("id", id);
  }

  /** The JSON text of the message. */
  public String text() {
    return message.json();
  }
}

package fleet.tower.service.mcp.wire;

import java.util.Optional;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;

/** A message of a client that has been read. */
public sealed interface McpMessage {

  /** A valid request for a known method. */
  record Call(Request request, Feature.Method method) implements McpMessage {}

  /** A notification, which has no answer. */
  record Notification(String method, JsonObject params) implements McpMessage {
    private static final String NAMES = "notifications/";

    /** Whether it has the name of a notification; a request without an id does not. */
    public boolean isValid() {
      return method.startsWith(NAMES);
    }

    /** The id of the request that the client cancels, as JSON; empty if this notification cancels none. */
    public Optional<String> cancelled() {
      return method.equals(NAMES + "cancelled")
          ? Optional.<JsonValue>ofNullable(params.get("requestId")).map(params::raw)
          : Optional.empty();
    }
  }

  /** A response, although the server sends no requests; the older revision accepts it, and nothing happens. */
  record Response(Revision revision) implements McpMessage {}

  /** A message that is answered with an error. */
  record Invalid(McpReply reply) implements McpMessage {}
}

package fleet.tower.service.mcp.subscription;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.service.mcp.wire.ProtocolError;

/**
 * The notifications that a client requests.
 *
 * @param resources the addresses of resources; null if the client named none
 *
 * @param tasks the ids of tasks; null if the client named none
 */
record SubscriptionFilter(boolean toolsListChanged, boolean resourcesListChanged, @Nullable List<String> resources,
    @Nullable List<String> tasks) {
  /** The maximum number of resources, and of tasks, of one stream. */
  static final int LIMIT = 64;

  /** Reads the params of a request; other kinds of notifications are ignored, as the protocol demands. */
  static SubscriptionFilter of(JsonObject params) {
    JsonObject filter = params.object("notifications")
        .orElseThrow(() -> ProtocolError.invalidParams("'notifications' is missing, or is not an object"));
    return new SubscriptionFilter(flag(filter, "toolsListChanged"), flag(filter, "resourcesListChanged"),
        names(filter, "resourceSubscriptions"), names(filter, "taskIds"));
  }

  private static boolean flag(JsonObject filter, String name) {
    return switch (filter.get(name)) {
      case null -> false;
      case JsonValue.Bool bool -> bool.value();
      case JsonValue.Text _,JsonValue.Numeral _,JsonValue.Null _,JsonValue.Items _,JsonObject _ ->
        throw ProtocolError.invalidParams("'notifications." + name + "' must be true or false");
    };
  }

  private static @Nullable List<String> names(JsonObject filter, String name) {
    if (filter.get(name) == null) {
      return null;
    }
    List<String> names = filter.texts(name);
    if (!(filter.get(name) instanceof JsonValue.Items items) || names.size() < items.values().size()) {
      throw ProtocolError.invalidParams("'notifications." + name + "' must be a list of strings");
    }
    if (names.size() > LIMIT) {
      throw ProtocolError
          .invalidParams("'notifications." + name + "' has " + names.size() + " entries; at most " + LIMIT
              + " are allowed; open another subscription for the others");
    }
    return names.stream().distinct().toList();
  }
}

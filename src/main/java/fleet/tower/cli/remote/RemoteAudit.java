package fleet.tower.cli.remote;

import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditQuery;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Console;
import fleet.tower.json.JsonObject;
import fleet.tower.json.JsonValue;
import fleet.tower.time.Timestamps;

/** The audit log of a service. */
public final class RemoteAudit {
  private static final int MOST = 10_000;
  private final Server server;

  private RemoteAudit(Server server) {
    this.server = server;
  }

  /** That of the service which the command line means, if it means one. */
  public static Optional<RemoteAudit> of(Servers servers, Arguments arguments) {
    return servers.of(arguments).map(RemoteAudit::new);
  }

  /** The newest events that are asked for, the oldest of them first. */
  public void read(AuditQuery query, Consumer<String> lines) {
    JsonObject json = server.get("/audit" + query(query) + "&limit=" + MOST).json();
    if (json.get("events") instanceof JsonValue.Items events) {
      events.values().forEach(event -> lines.accept(json.raw(event)));
    }
  }

  /** New events as they come, until the service or the reader goes away. */
  public void follow(AuditQuery query, Console console) {
    try (Events events = new Events(server.stream("/audit/stream" + query(query), null))) {
      for (Events.Event event = events.next(); event != null && !console.isClosed(); event = events.next()) {
        console.json(event.data());
      }
    }
  }

  private static String query(AuditQuery query) {
    StringBuilder text = new StringBuilder();
    add(text, "since", query.since() == null ? null : Timestamps.format(query.since()));
    add(text, "lock_name", query.lockName());
    add(text, "request_id", query.requestId());
    add(text, "event", query.event());
    return text.isEmpty() ? "?" : "?" + text.substring(1);
  }

  private static void add(StringBuilder text, String name, @Nullable String value) {
    if (value != null) {
      text.append('&').append(name).append('=').append(Server.part(value));
    }
  }
}

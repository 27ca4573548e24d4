package fleet.tower.cli.remote;

import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditQuery;
import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.cli.server.Events;
import fleet.tower.cli.server.Server;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.Timestamps;

/** The audit log of a service. */
public final class RemoteAudit {
  private static final int MOST = 10_000;
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);

  private final Server server;
  private final boolean isLocal;

  private RemoteAudit(Server server, boolean isLocal) {
    this.server = server;
    this.isLocal = isLocal;
  }

  /** That of the service which the command line means, if it means one. */
  public static Optional<RemoteAudit> of(Servers servers, Arguments arguments) {
    return servers.of(arguments).map(server -> new RemoteAudit(server, arguments.has("local")));
  }

  /** The newest events that are asked for, the oldest of them first. */
  public void read(AuditQuery query, Consumer<String> lines) {
    JsonObject json = server.get("/audit" + query(query) + "&limit=" + MOST).json();
    json.items("events").forEach(event -> lines.accept(json.raw(event)));
  }

  /**
   * New events as they come, until the reader goes away. A service that goes away is waited for, and the stream taken up
   * behind the last event; one that was not there in the first place is an error.
   */
  public void follow(AuditQuery query, Console console, Scheduler scheduler) {
    String path = "/audit/stream" + query(query);
    String seen = null;
    InputStream in = server.stream(path, null);
    while (!console.isClosed()) {
      try (Events events = new Events(in)) {
        for (Events.Event event = events.next(); event != null && !console.isClosed(); event = events.next()) {
          console.json(event.data());
        }
        seen = events.lastId() == null ? seen : events.lastId();
      }
      if (!console.isClosed()) {
        console.words("tower: the stream of " + server.url() + " has ended; following on when it is back");
        in = again(path, seen, scheduler);
      }
    }
  }

  private InputStream again(String path, @Nullable String seen, Scheduler scheduler) {
    for (;;) {
      scheduler.pause(BETWEEN_ATTEMPTS);
      try {
        return server.stream(path, seen);
      } catch (RemoteRefusal told) {
        if (!told.isPassing()) {
          throw told;
        }
      }
    }
  }

  private String query(AuditQuery query) {
    StringBuilder text = new StringBuilder();
    add(text, "since", query.since() == null ? null : Timestamps.format(query.since()));
    add(text, "lock_name", query.lockName());
    add(text, "request_id", query.requestId());
    add(text, "event", query.event());
    add(text, "local", isLocal ? "true" : null);
    return text.isEmpty() ? "?" : "?" + text.substring(1);
  }

  private static void add(StringBuilder text, String name, @Nullable String value) {
    if (value != null) {
      text.append('&').append(name).append('=').append(Server.part(value));
    }
  }
}

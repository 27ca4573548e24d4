package fleet.tower.cli.remote;

import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RemoteRefusal;
import fleet.tower.audit.AuditTrail;
import fleet.tower.cli.overview.AuditClient;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.remote.Events;
import fleet.tower.remote.Server;

/**
 * The audit log of a service.
 *
 * @param isLocal whether only events of the service's host are read
 */
record RemoteAuditClient(Server server, boolean isLocal, Scheduler scheduler) implements AuditClient {
  private static final int MOST = 10_000;
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);

  /** The pages begin with the newest events, so all of them are in memory before the oldest event is passed on. */
  @Override
  public void read(AuditTrail.Query query, Consumer<String> lines) {
    String path = "/audit" + query(query) + "&limit=";
    List<List<String>> pages = new ArrayList<>();
    String next = null;
    do {
      JsonObject page = server.get(path + MOST + RemotePages.parameter(next)).json();
      pages.add(page.items("events").stream().map(page::raw).toList());
      next = page.text(Rows.NEXT).orElse(null);
    } while (next != null);
    pages.reversed().forEach(page -> page.forEach(lines));
  }

  /**
   * Waits for a service that becomes unreachable, and resumes its stream after the last event; fails if the first
   * stream fails.
   */
  @Override
  public void follow(AuditTrail.Query query, Console console) {
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
        console.words("tower: the stream of " + server.url() + " ended; resuming when the service is back");
        in = again(path, seen);
      }
    }
  }

  private InputStream again(String path, @Nullable String seen) {
    for (;;) {
      scheduler.pause(BETWEEN_ATTEMPTS);
      try {
        return server.stream(path, seen);
      } catch (RemoteRefusal refusal) {
        if (!refusal.isPassing()) {
          throw refusal;
        }
      }
    }
  }

  private String query(AuditTrail.Query query) {
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

package fleet.tower.cli.remote;

import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.HomeOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.remote.Events;
import fleet.tower.remote.Server;

/** The audit log of a service. */
record RemoteAuditClient(Server server, Scheduler scheduler) implements AuditClient {
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);
  private static final long MOST = 10_000;

  /** The pages begin with the newest events, so all of them are in memory before the oldest event is passed on. */
  @Override
  public void read(Given wanted, Consumer<String> lines) {
    List<List<String>> pages = new ArrayList<>();
    Given next = wanted.with(HomeOperations.LIMIT, MOST);
    while (next != null) {
      JsonObject page = server.send(new Ask(HomeOperations.AUDIT, next), Duration.ZERO);
      pages.add(page.items("events").stream().map(page::raw).toList());
      String cursor = page.text(Rows.NEXT).orElse(null);
      next = cursor == null ? null : next.with(CommonArgs.CURSOR, cursor);
    }
    pages.reversed().forEach(page -> page.forEach(lines));
  }

  /**
   * Waits for a service that becomes unreachable, and resumes its stream after the last event; fails if the first
   * stream fails.
   */
  @Override
  public void follow(Given wanted, Console console) {
    Ask log = new Ask(HomeOperations.AUDIT, wanted);
    String path = log.path() + "/stream" + log.href().substring(log.path().length());
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
      } catch (RefusedCommand refusal) {
        if (!refusal.isPassing()) {
          throw refusal;
        }
      }
    }
  }
}

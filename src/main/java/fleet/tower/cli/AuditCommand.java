package fleet.tower.cli;

import static fleet.tower.cli.shell.Option.flag;

import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.audit.AuditTrail;
import fleet.tower.cli.remote.Servers;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.home.Home;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.HomeHandlers;
import fleet.tower.operation.HomeOperations;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.text.Console;
import fleet.tower.remote.Events;
import fleet.tower.remote.Server;

/** {@code tower audit}: prints the audit log of the home or of a service, and follows it. */
record AuditCommand(Home home, Console console, Servers servers) {
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);
  private static final long MOST = 10_000;

  Command audit() {
    return OperationCommand.of(HomeOperations.AUDIT, this::audit).with(flag("follow",
        "print new events as they arrive, until interrupted; one event per line, with --json too"));
  }

  private Reply audit(Arguments arguments) {
    Optional<Server> server = servers.of(arguments);
    Given wanted = OperationCommand.given(HomeOperations.AUDIT, arguments, home.time()::now);
    if (arguments.has("follow")) {
      server.ifPresentOrElse(of -> follow(of, wanted), () -> follow(wanted));
      return Reply.of(Exit.DONE, JsonWriter.line());
    }
    List<String> events = new ArrayList<>();
    Consumer<String> lines = arguments.has("json") ? events::add : console::json;
    server.ifPresentOrElse(of -> read(of, wanted, lines),
        () -> trail(wanted).read(HomeHandlers.query(wanted), event -> lines.accept(event.line())));
    return Reply.ofJson(Exit.DONE, arguments.has("json") ? "[" + String.join(",", events) + "]" : "{}");
  }

  /** The pages begin with the newest events, so all of them are in memory before the oldest event is passed on. */
  private static void read(Server server, Given wanted, Consumer<String> lines) {
    List<List<JsonObject>> pages = new ArrayList<>();
    Given next = wanted.with(HomeOperations.LIMIT, MOST);
    while (next != null) {
      JsonObject page = server.send(new Ask(HomeOperations.AUDIT, next), Duration.ZERO);
      pages.add(page.objects("events"));
      String cursor = page.text(Rows.NEXT).orElse(null);
      next = cursor == null ? null : next.with(CommonArgs.CURSOR, cursor);
    }
    pages.reversed().forEach(page -> page.forEach(event -> lines.accept(event.raw())));
  }

  private AuditTrail trail(Given wanted) {
    return HomeHandlers.trail(wanted, home.auditTrail());
  }

  private void follow(Given wanted) {
    trail(wanted).follow(HomeHandlers.query(wanted), null, new AuditTrail.Reader() {
      @Override
      public boolean take(AuditTrail.Entry entry, String place) {
        console.json(entry.line());
        return wantsMore();
      }

      @Override
      public boolean wantsMore() {
        return !console.isClosed();
      }
    });
  }

  /**
   * Waits for a service that becomes unreachable, and resumes its stream after the last event; fails if the first
   * stream fails.
   */
  private void follow(Server server, Given wanted) {
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
        in = again(server, path, seen);
      }
    }
  }

  private InputStream again(Server server, String path, @Nullable String seen) {
    for (;;) {
      home.scheduler().pause(BETWEEN_ATTEMPTS);
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

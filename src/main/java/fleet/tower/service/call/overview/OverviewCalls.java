package fleet.tower.service.call.overview;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.home.Release;
import fleet.tower.operation.Handler;
import fleet.tower.operation.HomeCallOutcome;
import fleet.tower.operation.HomeOperations;
import fleet.tower.operation.LockHandlers;
import fleet.tower.operation.Operation;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;
import fleet.tower.run.submit.Runs;

/** Reads and follows the overview for callers. */
public final class OverviewCalls {
  /** A client without an event for this long gets the present moment. */
  private static final Duration SILENCE = Duration.ofSeconds(4);

  private final OverviewFeed feed;
  private final LockHandlers.Host host;
  private final WaitingCalls waits;
  private final Runs runs;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final String version = Release.version();

  public OverviewCalls(OverviewFeed feed, LockHandlers.Host host, WaitingCalls waits, Runs runs, TimeSource time,
      Scheduler scheduler) {
    this.feed = feed;
    this.host = host;
    this.waits = waits;
    this.runs = runs;
    this.time = time;
    this.scheduler = scheduler;
  }

  /** The handler of the operation that views it. */
  public Map<Operation, Handler> handlers() {
    return Map.of(HomeOperations.OVERVIEW, request -> new HomeCallOutcome.Overview(view(request.caller())));
  }

  /** The overview now, for operators with the callers that take most of the service. */
  private JsonWriter view(Caller caller) {
    OverviewState state = feed.fresh();
    if (!state.problems().isEmpty()) {
      throw new StorageException(state.problem());
    }
    JsonWriter json = state.json(host.id(), version);
    return caller.role() == Role.OPERATOR
        ? json.list("callers", LargestCallers.json(waits.places(), runs.places()))
        : json;
  }

  /** Passes the overview and then its changes to a reader, until the reader, the service or a revoked token ends it. */
  public void follow(Caller caller, OverviewReader reader) {
    Cancellation ending = new Cancellation();
    WakeUp wakeUp = new WakeUp();
    try (var _ = waits.ending(caller, ending);
        var _ = ending.on(wakeUp::signal);
        var _ = feed.join(wakeUp)) {
      Delivery delivery = new Delivery(reader);
      while (reader.wantsMore() && !waits.isClosing()) {
        OverviewState state = feed.state();
        if (state != null) {
          delivery.send(state);
        }
        Scheduler.Pending alarm = scheduler.after(SILENCE, wakeUp::signal);
        wakeUp.await();
        alarm.cancel();
      }
    }
  }

  /** What one reader has received. */
  private final class Delivery {
    private final OverviewReader reader;
    private @Nullable OverviewState sent;
    private String problem = "";
    private long sentNanos;

    Delivery(OverviewReader reader) {
      this.reader = reader;
    }

    void send(OverviewState state) {
      OverviewState before = sent;
      if (before == null) {
        event("overview", state.json(host.id(), version).end());
      } else {
        String change = feed.change(before, state);
        if (!change.isEmpty()) {
          event("change", change);
        }
      }
      sent = state;
      // A timer may fire slightly early.
      boolean isSilent = time.nanos() - sentNanos >= SILENCE.toNanos() / 2;
      if (isSilent || !state.problem().equals(problem)) {
        problem = state.problem();
        event(problem.isEmpty() ? "as_of" : "problem", state.news().end());
      }
    }

    private void event(String name, String json) {
      reader.event(name, json);
      sentNanos = time.nanos();
    }
  }
}

package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunFollower;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Ask;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.remote.Events;
import fleet.tower.remote.Server;

/**
 * Follows runs of a service to their end. A connection that breaks is opened again, because the service may be
 * restarting.
 */
record RemoteRunFollower(Server server, Scheduler scheduler, TimeSource time) implements RunFollower {
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);
  private static final int ATTEMPTS = 30;
  /** How long one call waits; a proxy may terminate longer ones. */
  private static final Duration ONE_WAIT = Duration.ofSeconds(20);

  @Override
  public RunEnding follow(RequestId id, Narrator narrator) {
    return RunEnding.ofService(end(id, narrator), false);
  }

  /** Follows the events to the end of the run; resumes a broken stream after the last event. */
  JsonObject end(RequestId id, Narrator narrator) {
    String path = new Ask(RunOperations.VIEW, RunOperations.of(id)).path();
    String seen = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (Events events = new Events(server.stream(path + "/events", seen))) {
        for (Events.Event event = events.next(); event != null; event = events.next()) {
          attempt = 0;
          seen = event.id().isEmpty() ? seen : event.id();
          Optional<JsonObject> end = report(event, narrator);
          narrator.pause();
          if (end.isPresent()) {
            narrator.end();
            return end.get();
          }
        }
      } catch (RefusedCommand refusal) {
        if (!refusal.is(ErrorCode.SERVER_UNAVAILABLE)) {
          throw refusal;
        }
      }
      scheduler.pause(BETWEEN_ATTEMPTS);
    }
    throw gone(id);
  }

  private RefusedCommand gone(RequestId id) {
    return new RefusedCommand(ErrorCode.SERVER_UNAVAILABLE,
        Reply.failure(ErrorCode.SERVER_UNAVAILABLE,
            "the service at " + server.url() + " is gone; the outcome of run " + id + " is unknown",
            "once it is back, repeat the command with --request-id " + id));
  }

  @Override
  public RunEnding await(RequestId id, @Nullable Duration limit) {
    long begun = time.nanos();
    int failures = 0;
    for (;;) {
      Duration left = limit == null ? ONE_WAIT : limit.minusNanos(time.nanos() - begun);
      try {
        RunEnding run = RunEnding.ofService(look(id, left), false);
        if (run.status().isFinished() || !left.isPositive()) {
          return run;
        }
        failures = 0;
        scheduler.pause(left.compareTo(BETWEEN_LOOKS) < 0 ? left : BETWEEN_LOOKS);
      } catch (RefusedCommand refusal) {
        boolean isPassing = refusal.isPassing() || refusal.is(ErrorCode.TOO_MANY_WAITING_CALLS);
        if (!isPassing || !left.isPositive() || ++failures == ATTEMPTS) {
          throw refusal;
        }
        scheduler.pause(BETWEEN_ATTEMPTS);
      }
    }
  }

  private JsonObject look(RequestId id, Duration left) {
    Duration wait = left.compareTo(ONE_WAIT) < 0 ? left : ONE_WAIT;
    return server.send(new Ask(RunOperations.VIEW, RunOperations.of(id)
        .with(RunOperations.END_WAIT, Math.max(0, wait.toSeconds()))), wait);
  }

  private static Optional<JsonObject> report(Events.Event event, Narrator narrator) {
    JsonObject json = parsed(event.data());
    switch (event.name()) {
      case "step_started" -> narrator.stepStarted(json);
      case "output" -> narrator.line(json.text("text").orElse(""));
      case "output_missing" -> narrator.note(json.text("note").orElse(""));
      case "step_finished" -> narrator.stepFinished(json);
      case "run_waiting" -> narrator.note(json.text("foreign_lock")
          .map(name -> "waiting for foreign lock " + name + ": it is " + json.text("state").orElse("held"))
          .orElseGet(() -> "waiting for its lock: number " + json.integer("position").orElse(1) + " in line"));
      case "heartbeat_failed" -> {
        if (json.integer("consecutive_failures").orElse(0) == 1) {
          narrator.note("the lock was not renewed: " + json.text("error").orElse("") + "; trying again");
        }
      }
      case "run_finished" -> {
        json.texts("warnings").forEach(narrator::warning);
        return Optional.of(json);
      }
      default -> {
        // An event of a newer service, which this program can ignore.
      }
    }
    return Optional.empty();
  }

  private static JsonObject parsed(String data) {
    try {
      return JsonReader.readObject(data);
    } catch (JsonException e) {
      throw new IllegalStateException("the service sent an event that is not JSON: " + data, e);
    }
  }
}

package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import fleet.tower.cli.reply.ErrorCode;
import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.PlanReply;
import fleet.tower.cli.run.RunCommand;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.server.Events;
import fleet.tower.cli.server.Server;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Reply;
import fleet.tower.home.Home;
import fleet.tower.intent.Mode;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Run;
import fleet.tower.run.StepRecord;

/** The runs of a service; on a signal it cancels the run there and waits for the end. */
public final class RemoteRuns {
  private static final Duration BETWEEN_ATTEMPTS = Duration.ofSeconds(1);
  private static final int ATTEMPTS = 30;

  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final Servers servers;

  public RemoteRuns(Home home, Console console, Interruptions interruptions, Servers servers) {
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
    this.servers = servers;
  }

  /** The plan of a run, without running it. */
  public Reply plan(Arguments arguments) {
    return PlanReply.of(plan(arguments, server(arguments)).raw());
  }

  private JsonObject plan(Arguments arguments, Server server) {
    return server.post(path(arguments) + "/plan", JsonWriter.line().put("params", params(arguments, server)), Map.of(),
        Duration.ZERO).json();
  }

  /** Runs the intent in the service. */
  public Reply run(Arguments arguments) {
    Server server = server(arguments);
    String id = arguments.value("request-id").orElseGet(() -> home.newRequestId().value());
    if (arguments.has("require-lock")) {
      JsonObject plan = plan(arguments, server);
      String mode = plan.text("mode").orElse("");
      if (plan.text("lock_name").isEmpty() && !mode.equals(Mode.OBSERVE.toString())) {
        return RunOptions.noLock(arguments.operand(0), mode);
      }
    }
    AtomicReference<@Nullable String> begun = new AtomicReference<>();
    boolean isQueued = arguments.has("queue");
    interruptions.on(() -> cancel(server, isQueued ? null : begun.get()));
    begun.set(id);
    JsonWriter body = JsonWriter.line().put("params", params(arguments, server)).put("request_id", id)
        .put("force_lock", arguments.has("force-lock") || arguments.has("force"))
        .put("wait_seconds", RunOptions.patience(arguments).plusMillis(999).toSeconds());
    if (isQueued) {
      body.put("queue", true);
    }
    Server.Answer answer = server.post(path(arguments), body, Map.of("Prefer", "respond-async"), Duration.ZERO);
    boolean isReplay = answer.headers().containsKey("Idempotency-Replayed");
    if (isQueued) {
      return RunCommand.queued(RunReader.run(answer.json()), isReplay);
    }
    Narrator narrator = Narrator.on(console, home, arguments.has("json"));
    if (isReplay) {
      narrator.note(RunEnding.repeated(new RequestId(id)));
    }
    JsonObject end = follow(server, id, narrator);
    narrator.end();
    Run run = RunReader.run(end);
    if (run.refusal() == null && arguments.has("json")) {
      return Reply.ofJson(new RunEnding(run, _ -> "", "", false).reply(false).exit(),
          withMembers(end).put("replayed", isReplay).end());
    }
    return new RunEnding(run, _ -> "", "logs/runs/" + id + " of the service's home",
        isReplay).reply(console.isTerminal());
  }

  /** Follows the events to the end of the run; resumes a broken stream after the last event. */
  private JsonObject follow(Server server, String id, Narrator narrator) {
    Scheduler scheduler = home.scheduler();
    String seen = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try (Events events = new Events(server.stream("/runs/" + Server.part(id) + "/events", seen))) {
        for (Events.Event event = events.next(); event != null; event = events.next()) {
          attempt = 0;
          seen = event.id().isEmpty() ? seen : event.id();
          Optional<JsonObject> end = report(event, narrator);
          narrator.pause();
          if (end.isPresent()) {
            return end.get();
          }
        }
      } catch (RemoteRefusal refusal) {
        if (!refusal.is(ErrorCode.SERVER_UNAVAILABLE)) {
          throw refusal;
        }
      }
      scheduler.pause(BETWEEN_ATTEMPTS);
    }
    throw new RemoteRefusal(ErrorCode.SERVER_UNAVAILABLE,
        ErrorCode.SERVER_UNAVAILABLE.reply(
            "the service at " + server.url() + " is gone; the outcome of run " + id + " is unknown",
            "once it is back, repeat the command with --request-id " + id));
  }

  private static JsonWriter withMembers(JsonObject json) {
    JsonWriter copy = JsonWriter.line();
    json.members().forEach((name, value) -> copy.raw(name, json.raw(value)));
    return copy;
  }

  private static Optional<JsonObject> report(Events.Event event, Narrator narrator) {
    JsonObject json = parsed(event.data());
    switch (event.name()) {
      case "step_started" -> narrator.stepStarted(RunReader.step(json, StepRecord.Status.RUNNING));
      case "output" -> narrator.line(json.text("text").orElse(""));
      case "step_finished" -> narrator.stepFinished(RunReader.step(json, StepRecord.Status.SUCCEEDED));
      case "run_waiting" -> narrator.note("waiting for its lock: number " + json.integer("position").orElse(1)
          + " in line");
      case "heartbeat_failed" -> {
        if (json.integer("consecutive_failures").orElse(0) == 1) {
          narrator.note("the lock was not renewed: " + json.text("error").orElse("") + "; trying again");
        }
      }
      case "run_finished" -> {
        RunReader.run(json).warnings().forEach(narrator::warning);
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

  private void cancel(Server server, @Nullable String id) {
    if (id != null) {
      try {
        server.post("/runs/" + Server.part(id) + "/cancel", JsonWriter.line(), Map.of(), Duration.ZERO);
      } catch (RemoteRefusal finishedOrGone) {
        console.words("tower: the run was not cancelled: " + finishedOrGone.getMessage());
      }
    }
  }

  private JsonWriter params(Arguments arguments, Server server) {
    return new RemoteParams(server, arguments.operand(0)).json(RunOptions.params(arguments),
        name -> RunOptions.warnOfSecret(name, console));
  }

  private static String path(Arguments arguments) {
    return "/intents/" + Server.part(arguments.operand(0));
  }

  private Server server(Arguments arguments) {
    return servers.of(arguments)
        .orElseThrow(() -> new IllegalStateException("no service was named"));
  }
}

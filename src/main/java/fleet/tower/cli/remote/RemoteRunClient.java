package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.access.Role;
import fleet.tower.answer.CallerJson;
import fleet.tower.answer.RemoteRefusal;
import fleet.tower.answer.Reply;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.PlanReply;
import fleet.tower.cli.run.RunClient;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.home.Home;
import fleet.tower.intent.Intent;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.remote.Server;
import fleet.tower.run.Run;
import fleet.tower.run.submit.RunRequest;

/** The runs of a service; on a signal it cancels the run there and waits for the end. */
final class RemoteRunClient implements RunClient {
  private final Server server;
  private final Home home;
  private final Console console;
  private final Interruptions interruptions;

  RemoteRunClient(Server server, Home home, Console console, Interruptions interruptions) {
    this.server = server;
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
  }

  @Override
  public Reply plan(RunRequest request) {
    return PlanReply.of(plan(request, Params.of(this, request)).raw());
  }

  private JsonObject plan(RunRequest request, Params params) {
    JsonWriter body = JsonWriter.line().raw("params", params.json());
    if (request.terms().force()) {
      body.put("force_lock", true);
    }
    return server.post(path(request) + "/plan", body, Map.of(), Duration.ZERO).json();
  }

  @Override
  public Reply run(RunRequest request, Manner manner) {
    RequestId id = Objects.requireNonNullElseGet(request.requestId(), home::newRequestId);
    Params params = Params.of(this, request);
    if (manner.requiresLock()) {
      JsonObject plan = plan(request, params);
      String mode = plan.text("mode").orElse("");
      if (plan.text("lock_name").isEmpty() && !mode.equals(Intent.Mode.OBSERVE.toString())) {
        return RunOptions.noLock(request.intent(), mode);
      }
    }
    interruptions.on(() -> {
      if (manner.isFollowed()) {
        cancel(id);
      }
    });
    JsonWriter body = JsonWriter.line().raw("params", params.json()).put("request_id", id.value())
        .put("force_lock", request.terms().force())
        .put("wait_seconds", request.terms().patience().plusMillis(999).toSeconds());
    if (manner.isQueued()) {
      body.put("queue", true);
    }
    if (request.plan() != null) {
      body.put("plan_hash", request.plan().digits());
    }
    Server.Answer answer = server.post(path(request), body, Map.of("Prefer", "respond-async"), Duration.ZERO);
    boolean isReplay = answer.headers().containsKey("Idempotency-Replayed");
    if (!manner.isFollowed()) {
      return RunClient.submitted(RunReader.run(answer.json()), isReplay);
    }
    Reply reply = followed(id, isReplay, manner);
    return params.hasSecretOnLine() ? reply.withoutRepeating() : reply;
  }

  private Reply followed(RequestId id, boolean isReplay, Manner manner) {
    Narrator narrator = Narrator.on(console, home, manner.asJson());
    if (isReplay) {
      narrator.note(RunEnding.repeated(id));
    }
    JsonObject end = new RemoteFollowing(server, home.scheduler(), home.time()).follow(id.value(), narrator);
    narrator.end();
    Run run = RunReader.run(end);
    if (run.refusal() == null && manner.asJson()) {
      return Reply.ofJson(new RunEnding(run, _ -> "", "", false).reply(false).exit(),
          withMembers(end).put("replayed", isReplay).end());
    }
    return new RunEnding(run, _ -> "", "logs/runs/" + id + " of the service's home", isReplay)
        .reply(console.isTerminal()).as(run.refusal() == null ? Role.AGENT : role());
  }

  /** The role of the caller; an agent's, the least that runs intents, if the service does not say. */
  private Role role() {
    try {
      return CallerJson.read(server.get("/me").json()).role();
    } catch (RemoteRefusal unknown) {
      return Role.AGENT;
    }
  }

  private static JsonWriter withMembers(JsonObject json) {
    JsonWriter copy = JsonWriter.line();
    json.members().forEach((name, value) -> copy.raw(name, json.raw(value)));
    return copy;
  }

  private void cancel(RequestId id) {
    try {
      server.post("/runs/" + Server.part(id.value()) + "/cancel", JsonWriter.line(), Map.of(), Duration.ZERO);
    } catch (RemoteRefusal finishedOrGone) {
      console.words("tower: the run was not cancelled: " + finishedOrGone.getMessage());
    }
  }

  /** The parameters of a request as JSON; a secret on the command line is warned of once. */
  private record Params(String json, boolean hasSecretOnLine) {
    static Params of(RemoteRunClient client, RunRequest request) {
      AtomicBoolean hasSecret = new AtomicBoolean();
      RemoteParams params = new RemoteParams(client.server, request.intent());
      JsonWriter json = params.json(new TreeMap<>(request.params()), name -> {
        hasSecret.set(true);
        RunOptions.warnOfSecret(name, client.console);
      });
      return new Params(json.end(), hasSecret.get());
    }
  }

  private static String path(RunRequest request) {
    return "/intents/" + Server.part(request.intent());
  }
}

package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Role;
import fleet.tower.cli.envelope.Reply;
import fleet.tower.cli.reply.CallerJson;
import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.PlanReply;
import fleet.tower.cli.run.RunCommand;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.server.Server;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.home.Home;
import fleet.tower.intent.Mode;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.run.Run;

/** The runs of a service; on a signal it cancels the run there and waits for the end. */
public final class RemoteRuns {
  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final Servers servers;
  private boolean hasSecretOnLine;

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
    boolean isDetached = isQueued || arguments.has("detach");
    interruptions.on(() -> cancel(server, isDetached ? null : begun.get()));
    begun.set(id);
    JsonWriter body = JsonWriter.line().put("params", params(arguments, server)).put("request_id", id)
        .put("force_lock", arguments.has("force-lock") || arguments.has("force"))
        .put("wait_seconds", RunOptions.patience(arguments).plusMillis(999).toSeconds());
    if (isQueued) {
      body.put("queue", true);
    }
    Server.Answer answer = server.post(path(arguments), body, Map.of("Prefer", "respond-async"), Duration.ZERO);
    boolean isReplay = answer.headers().containsKey("Idempotency-Replayed");
    if (isDetached) {
      return RunCommand.detached(RunReader.run(answer.json()), isReplay);
    }
    Narrator narrator = Narrator.on(console, home, arguments.has("json"));
    if (isReplay) {
      narrator.note(RunEnding.repeated(new RequestId(id)));
    }
    JsonObject end = new RemoteFollowing(server, home.scheduler(), home.time()).follow(id, narrator);
    narrator.end();
    Run run = RunReader.run(end);
    if (run.refusal() == null && arguments.has("json")) {
      return Reply.ofJson(new RunEnding(run, _ -> "", "", false).reply(false).exit(),
          withMembers(end).put("replayed", isReplay).end());
    }
    Reply reply = new RunEnding(run, _ -> "", "logs/runs/" + id + " of the service's home", isReplay)
        .reply(console.isTerminal()).as(run.refusal() == null ? Role.AGENT : role(server));
    return hasSecretOnLine ? reply.withoutRepeating() : reply;
  }

  /** The role of the caller; an agent's, the least that runs intents, if the service does not say. */
  private static Role role(Server server) {
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
        name -> {
          hasSecretOnLine = true;
          RunOptions.warnOfSecret(name, console);
        });
  }

  private static String path(Arguments arguments) {
    return "/intents/" + Server.part(arguments.operand(0));
  }

  private Server server(Arguments arguments) {
    return servers.of(arguments)
        .orElseThrow(() -> new IllegalStateException("no service was named"));
  }
}

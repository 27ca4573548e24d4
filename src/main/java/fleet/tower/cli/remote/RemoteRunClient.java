package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.access.Role;
import fleet.tower.answer.ApprovalText;
import fleet.tower.answer.CallerJson;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Reply;
import fleet.tower.cli.run.Narrator;
import fleet.tower.cli.run.RunClient;
import fleet.tower.cli.run.RunEnding;
import fleet.tower.cli.run.RunOptions;
import fleet.tower.cli.shell.Asking;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.home.Home;
import fleet.tower.intent.Intent;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.HomeOperations;
import fleet.tower.operation.Preference;
import fleet.tower.operation.RunOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.remote.Server;
import fleet.tower.run.RunStatus;
import fleet.tower.run.submit.RunRequest;

/** The runs of a service; on a signal it cancels the run there and waits for the end. */
final class RemoteRunClient implements RunClient {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final Server server;
  private final Asking asking;
  private final Home home;
  private final Console console;
  private final Interruptions interruptions;

  RemoteRunClient(Server server, Home home, Console console, Interruptions interruptions) {
    this.server = server;
    this.asking = Servers.asking(server);
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
  }

  @Override
  public Reply run(RunRequest asked, Manner manner) {
    RequestId earlier = asked.origin().again();
    RunRequest request = earlier == null
        ? asked
        : asked.running(look(earlier).requiredText("intent"), asked.params());
    RequestId id = Objects.requireNonNullElseGet(request.requestId(), home::newRequestId);
    Params params = Params.of(this, request);
    if (manner.requiresLock()) {
      JsonObject plan = asking.ask(RunOperations.PLAN, wanted(request, params));
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
    Given given = wanted(request, params).with(CommonArgs.REQUEST_ID, id.value())
        .with(RunOperations.WAIT, request.terms().patience().plusMillis(999).toSeconds())
        .with(RunOperations.PREFER, Preference.ASYNC);
    if (manner.isQueued()) {
      given = given.with(RunOperations.QUEUE, true);
    }
    if (request.plan() != null) {
      given = given.with(RunOperations.PLAN_HASH, request.plan().digits());
    }
    if (request.reason() != null) {
      given = given.with(CommonArgs.REASON, request.reason());
    }
    Server.Answer answer = server.call(new Ask(RunOperations.SUBMIT, given), Duration.ZERO);
    boolean isReplay = answer.headers().containsKey("Idempotency-Replayed");
    if (!manner.isFollowed()) {
      return RunEnding.ofService(answer.json(), isReplay).submitted();
    }
    RunEnding begun = RunEnding.ofService(answer.json(), isReplay);
    if (begun.status() == RunStatus.AWAITING_APPROVAL && !isApproved(id, request.terms().patience())) {
      return RunEnding.ofService(look(id), isReplay).reply(console.isTerminal());
    }
    Reply reply = followed(id, isReplay, manner);
    return params.hasSecretOnLine() ? reply.withoutRepeating() : reply;
  }

  private JsonObject look(RequestId id) {
    return asking.ask(RunOperations.VIEW, RunOperations.of(id));
  }

  /** Whether a run is approved within a time, or has ended otherwise. */
  private boolean isApproved(RequestId id, Duration patience) {
    if (!patience.isZero()) {
      console.words("tower: run " + id + " waits for approval; show and approve it: " + ApprovalText.command(id));
    }
    for (Duration waited = Duration.ZERO; waited.compareTo(patience) < 0; waited = waited.plus(BETWEEN_LOOKS)) {
      if (RunEnding.ofService(look(id), false).status() != RunStatus.AWAITING_APPROVAL) {
        return true;
      }
      home.scheduler().pause(BETWEEN_LOOKS);
    }
    return false;
  }

  private Reply followed(RequestId id, boolean isReplay, Manner manner) {
    Narrator narrator = Narrator.on(console, home, manner.asJson());
    if (isReplay) {
      narrator.note(RunEnding.repeated(id));
    }
    JsonObject end = new RemoteRunFollower(server, home.scheduler(), home.time()).end(id, narrator);
    return RunEnding.ofService(end, isReplay).reply(console.isTerminal())
        .as(end.object("refusal").isEmpty() ? Role.AGENT : role());
  }

  /** The role of the caller; an agent's, the least that runs intents, if the service does not say. */
  private Role role() {
    try {
      return CallerJson.read(asking.ask(HomeOperations.ME)).role();
    } catch (RefusedCommand unknown) {
      return Role.AGENT;
    }
  }

  private void cancel(RequestId id) {
    try {
      asking.ask(RunOperations.CANCEL, Given.NOTHING.with(RunOperations.RUN, id.value()));
    } catch (RefusedCommand finishedOrGone) {
      console.words("tower: the run was not cancelled: " + finishedOrGone.getMessage());
    }
  }

  /** The parameters of a request as JSON; a secret on the command line is warned of once. */
  private record Params(String json, boolean hasSecretOnLine) {
    static Params of(RemoteRunClient client, RunRequest request) {
      AtomicBoolean hasSecret = new AtomicBoolean();
      RemoteParams params = new RemoteParams(client.asking, request.intent());
      JsonWriter json = params.json(new TreeMap<>(request.params()), name -> {
        hasSecret.set(true);
        RunOptions.warnOfSecret(name, client.console);
      });
      return new Params(json.end(), hasSecret.get());
    }
  }

  private static Given wanted(RunRequest request, Params params) {
    Given given = Given.NOTHING.with(RunOperations.INTENT, request.intent())
        .with(RunOperations.PARAMS, JsonReader.readOwn(params.json()));
    if (!request.origin().metadata().equals("{}")) {
      given = given.with(RunOperations.METADATA, JsonReader.readOwn(request.origin().metadata()));
    }
    RequestId earlier = request.origin().again();
    if (earlier != null) {
      given = given.with(RunOperations.AGAIN, earlier.value());
    }
    return request.terms().force() ? given.with(RunOperations.FORCE, true) : given;
  }
}

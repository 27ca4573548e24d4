package fleet.tower.cli.remote;

import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

import fleet.tower.access.Caller;
import fleet.tower.access.Caller.Credential;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.answer.Answer;
import fleet.tower.answer.LockText;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RemoteRefusal;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Sentences;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.LockHandlers;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.remote.PatientCall;
import fleet.tower.remote.Server;

/** Carries out the operations of commands, on the files of the home or by a service, and prints their data. */
public final class Requests {
  private static final Option ACTOR = value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)");

  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final Servers servers;

  public Requests(Home home, Console console, Interruptions interruptions, Servers servers) {
    this.home = home;
    this.console = console;
    this.interruptions = interruptions;
    this.servers = servers;
  }

  /** The command of an operation, which prints the sentences about what it did. */
  public Command command(Operation operation) {
    return command(operation, (reply, _) -> reply);
  }

  /**
   * The same command with more in its answer.
   *
   * @param layout adds what only a terminal shows, from the data of the answer
   */
  public Command command(Operation operation, BiFunction<Reply, JsonObject, Reply> layout) {
    Command command = OperationCommand.of(operation, arguments -> reply(operation, arguments, layout));
    return command.options().stream().anyMatch(option -> option.name().equals(ACTOR.name()))
        ? command
        : command.with(ACTOR);
  }

  private Reply reply(Operation operation, Arguments arguments, BiFunction<Reply, JsonObject, Reply> layout) {
    Given given = OperationCommand.given(operation, arguments);
    Optional<Server> server = servers.of(arguments);
    if (server.isPresent()) {
      try {
        return done(operation, remote(server.get(), operation, given), layout);
      } catch (RemoteRefusal refusal) {
        return refusal.reply();
      }
    }
    Caller caller = new Caller(home.actor(arguments.value(ACTOR.name())), Role.OPERATOR, Scope.ALL, null,
        Credential.NONE, home.door(Door.CLI));
    Cancellation interrupted = new Cancellation();
    if (given.find(LockOperations.WAIT).filter(seconds -> seconds > 0).isPresent()) {
      interruptions.on(interrupted::cancel);
    }
    Answer answer = Answer.of(operations(operation).handle(operation,
        new Handler.Request(given, caller, new Handler.Client(interrupted, this::waiting))), null, home.time().now());
    return (switch (answer) {
      case Answer.Done done -> done(operation, JsonReader.readOwn(done.body().end()), layout);
      case Answer.Listing _ -> throw new IllegalStateException(operation.id() + " lists rows");
      case Problem problem -> Reply.of(problem);
    }).by(caller.name());
  }

  /** The operations of the subject of one, so that a command opens only what it uses. */
  private Operations operations(Operation operation) {
    if (!LockOperations.ALL.contains(operation)) {
      throw new IllegalStateException(operation.id() + " is carried out by services only");
    }
    return new Operations(new LockHandlers(home.locks(), home.freezes(), LockHandlers.Host.of(home), home.scheduler(),
        new WaitingCalls(Places.ofOneCaller(1)), () -> home.heartbeats().lag()).all());
  }

  private static Reply done(Operation operation, JsonObject data, BiFunction<Reply, JsonObject, Reply> layout) {
    Reply reply = layout.apply(Reply.ofJson(Exit.DONE, data.raw()), data);
    Sentences.of(operation, data)
        .forEach(sentence -> reply.words(sentence.startsWith("warning:") ? "tower: " + sentence : sentence));
    return reply;
  }

  private JsonObject remote(Server server, Operation operation, Given given) {
    Duration patience = Duration.ofSeconds(given.find(LockOperations.WAIT).orElse(0L));
    if (patience.isZero()) {
      return server.send(new Ask(operation, given), patience);
    }
    RequestId id = given.find(CommonArgs.REQUEST_ID).map(RequestId::new).orElseGet(home::newRequestId);
    Ask request = new Ask(operation, given.with(CommonArgs.REQUEST_ID, id.value()));
    LeaseName name = new LeaseName(given.get(LockOperations.NAME));
    Wait wait = new Wait(patience, home.scheduler(),
        (obstacle, waited, position) -> waiting(name, obstacle, waited, position));
    interruptions.on(wait.cancellation()::cancel);
    RemoteRefusal withdrawn = new RemoteRefusal(ErrorCode.LOCK_REQUEST_WITHDRAWN, Reply.of(Problem.of(
        ErrorCode.LOCK_REQUEST_WITHDRAWN, "the request for lock " + name + " was withdrawn",
        "repeat the request if the lock is still wanted")));
    try (var _ = new RemoteLockClient(server, home.time()).reporting(name, id, wait)) {
      JsonObject data = new PatientCall(server, request.path(), id, wait.cancellation(), wait.scheduler())
          .await(() -> server.send(request, patience), JsonReader.readOwn("{}"));
      if (!wait.cancellation().isCancelled()) {
        return data;
      }
      if (data.get("request_id") != null) {
        server.send(new Ask(LockOperations.RELEASE, Given.NOTHING.with(LockOperations.NAME, name.value())
            .with(LockOperations.OWNING, id.value()).with(LockOperations.RESULT, "aborted")), Duration.ZERO);
      }
      throw withdrawn;
    }
  }

  private void waiting(LeaseName name, Decision.Obstacle obstacle, Duration waited, int position) {
    console.words(LockText.waiting(name, obstacle, waited, position));
  }

  /** The commands of these operations. */
  public List<Command> commands(Operation... operations) {
    return List.of(operations).stream().map(this::command).toList();
  }
}

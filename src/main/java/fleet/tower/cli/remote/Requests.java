package fleet.tower.cli.remote;

import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;

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
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.LockHandlers;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxHandlers;
import fleet.tower.operation.MailboxOperations;
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
  public static final Option ACTOR = value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)");

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

  /** The answer to a command whose operation its arguments choose. */
  public Reply reply(Operation operation, Arguments arguments, BiFunction<Reply, JsonObject, Reply> layout) {
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
    if (!patience(operation, given).isZero()) {
      interruptions.on(interrupted::cancel);
    }
    List<Runnable> endings = new ArrayList<>();
    try {
      Answer answer = Answer.of(operations(operation, endings).handle(operation,
          new Handler.Request(given, caller, new Handler.Client(interrupted, this::waiting))), null,
          home.time().now());
      return (switch (answer) {
        case Answer.Done _ when interrupted.isCancelled() -> Reply.of(Answer.givenUp(operation, given));
        case Answer.Done done -> done(operation, JsonReader.readOwn(done.body().end()), layout);
        case Answer.Listing listing -> done(operation, JsonReader.readOwn(listing.data().end()), layout);
        case Problem problem -> Reply.of(problem);
      }).by(caller.name());
    } finally {
      endings.forEach(Runnable::run);
    }
  }

  /**
   * The operations of the subject of one, so that a command opens only what it uses.
   *
   * @param endings receives what closes that
   */
  private Operations operations(Operation operation, List<Runnable> endings) {
    WaitingCalls waits = new WaitingCalls(Places.ofOneCaller(1));
    if (MailboxOperations.ALL.contains(operation)) {
      return new Operations(new MailboxHandlers(() -> {
        Mailboxes mailboxes = home.mailboxes();
        endings.add(mailboxes::close);
        return mailboxes;
      }, waits).all());
    }
    if (!LockOperations.ALL.contains(operation)) {
      throw new IllegalStateException(operation.id() + " is carried out by services only");
    }
    return new Operations(new LockHandlers(home.locks(), home.freezes(), LockHandlers.Host.of(home), home.scheduler(),
        waits, () -> home.heartbeats().lag()).all());
  }

  /** How long a request may wait. */
  private static Duration patience(Operation operation, Given given) {
    Operation.Waiting waiting = operation.waiting();
    return waiting == null ? Duration.ZERO : Duration.ofSeconds(given.get(waiting.limit()));
  }

  private static Reply done(Operation operation, JsonObject data, BiFunction<Reply, JsonObject, Reply> layout) {
    Reply reply = layout.apply(Reply.ofJson(Exit.DONE, data.raw()), data);
    Sentences.of(operation, data)
        .forEach(sentence -> reply.words(sentence.startsWith("warning:") ? "tower: " + sentence : sentence));
    return reply;
  }

  private JsonObject remote(Server server, Operation operation, Given given) {
    Operation.Waiting waiting = operation.waiting();
    Duration patience = patience(operation, given);
    if (waiting == null || patience.isZero()) {
      return server.send(new Ask(operation, given), patience);
    }
    RequestId id = given.find(CommonArgs.REQUEST_ID).map(RequestId::new).orElseGet(home::newRequestId);
    Given named = given.with(CommonArgs.REQUEST_ID, id.value());
    Cancellation interrupted = new Cancellation();
    interruptions.on(interrupted::cancel);
    try (var _ = reporting(server, named, patience)) {
      JsonObject data = new PatientCall(server, new Ask(waiting.withdrawal(), named).path(), interrupted,
          home.scheduler()).await(() -> server.send(new Ask(operation, named), patience),
              JsonReader.readOwn("{}"));
      if (!interrupted.isCancelled()) {
        return data;
      }
      waiting.granted().apply(data).forEach(one -> giveBack(server, waiting.release(), one));
      Problem problem = Answer.givenUp(operation, given);
      throw new RemoteRefusal(Objects.requireNonNull(problem.code()), Reply.of(problem));
    }
  }

  /** Reports what a request for a lock waits for; null for one that waits for something else. */
  private RemoteLockClient.@Nullable Reporting reporting(Server server, Given given, Duration patience) {
    String lock = given.orNull(LockOperations.NAME);
    if (lock == null) {
      return null;
    }
    LeaseName name = new LeaseName(lock);
    return new RemoteLockClient(server, home.time()).reporting(name, new RequestId(given.get(CommonArgs.REQUEST_ID)),
        new Wait(patience, home.scheduler(),
            (obstacle, waited, position) -> waiting(name, obstacle, waited, position)));
  }

  /** What was granted may have expired, and belong to another meanwhile. */
  private static void giveBack(Server server, Operation release, Given granted) {
    try {
      server.send(new Ask(release, granted), Duration.ZERO);
    } catch (RemoteRefusal refusal) {
      if (!refusal.is(ErrorCode.RECEIPT_HANDLE_EXPIRED) && !refusal.is(ErrorCode.LOCK_NOT_FOUND)) {
        throw refusal;
      }
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

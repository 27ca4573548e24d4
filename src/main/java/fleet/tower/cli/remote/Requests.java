package fleet.tower.cli.remote;

import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Forbidden;
import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.HaltText;
import fleet.tower.answer.LockText;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Remedy;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Sentences;
import fleet.tower.answer.StrandedRun;
import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.Origin;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Asking;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.intent.Values;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.Halt;
import fleet.tower.lock.queue.Wait;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.operation.ApprovalHandlers;
import fleet.tower.operation.ApprovalOperations;
import fleet.tower.operation.Ask;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.HaltHandlers;
import fleet.tower.operation.HaltOperations;
import fleet.tower.operation.Handler;
import fleet.tower.operation.HomeHandlers;
import fleet.tower.operation.HomeOperations;
import fleet.tower.operation.LockHandlers;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.MailboxHandlers;
import fleet.tower.operation.MailboxOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.Outcome;
import fleet.tower.operation.RunHandlers;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.TaskHandlers;
import fleet.tower.operation.TaskOperations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.process.ProcessUser;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.remote.PatientCall;
import fleet.tower.remote.Server;
import fleet.tower.run.RunStatus;
import fleet.tower.task.Agent;
import fleet.tower.task.Tasks;

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
    return operation.role() == Role.VIEWER || operation.arg(TaskOperations.WORKER.name()).isPresent()
        || command.options().stream().anyMatch(option -> option.name().equals(ACTOR.name()))
            ? command
            : command.with(ACTOR);
  }

  /** The commands of these operations. */
  public List<Command> commands(Operation... operations) {
    return List.of(operations).stream().map(this::command).toList();
  }

  /** The reply to a command whose operation its arguments choose. */
  public Reply reply(Operation operation, Arguments arguments, BiFunction<Reply, JsonObject, Reply> layout) {
    try {
      return reply(operation, given(operation, arguments), arguments, layout);
    } catch (RefusedCommand refusal) {
      return refusal.reply();
    }
  }

  /** The time of the home. */
  public Instant now() {
    return home.time().now();
  }

  /** The arguments of a command line. */
  public Given given(Operation operation, Arguments arguments) {
    return OperationCommand.given(operation, arguments, home.time()::now);
  }

  /**
   * The reply to a request of a command line.
   *
   * @param layout adds what only a terminal shows, from the data of the answer
   */
  public Reply reply(Operation operation, Given given, Arguments arguments,
      BiFunction<Reply, JsonObject, Reply> layout) {
    try (Calls calls = calls(arguments)) {
      Done done = calls.done(operation, given);
      JsonObject data = done.data();
      Reply reply = layout.apply(Reply.ofJson(Exit.DONE, data.raw()), data);
      Sentences.of(operation, data)
          .forEach(sentence -> reply.words(sentence.startsWith("warning:") ? "tower: " + sentence : sentence));
      return (done.remedies().isEmpty() ? reply : reply.next(done.remedies())).by(calls.actor(operation, given));
    } catch (RefusedCommand refusal) {
      return refusal.reply();
    }
  }

  /** Parameters for an intent, each in the type that the intent declares. */
  public JsonObject params(String intent, Map<String, Values.Given> params, Arguments arguments) {
    return JsonReader.readOwn(new RemoteParams(asking(arguments), intent).json(params, _ -> {}).end());
  }

  /** Sends operations to the home or the service of a command line. */
  public Asking asking(Arguments arguments) {
    return (operation, given) -> {
      try (Calls calls = calls(arguments)) {
        return calls.send(operation, given);
      }
    };
  }

  /** The halts in force. */
  public List<HaltText> halts(Arguments arguments) {
    return servers.of(arguments).isEmpty() && home.halts().inForce().isEmpty()
        ? List.of()
        : HaltText.all(asking(arguments).ask(HaltOperations.LIST));
  }

  /** Who performs a command, and for whom. */
  public Set<String> actors(Arguments arguments) {
    return Halt.Subject.of(servers.caller(arguments).map(Caller::actor)
        .orElseGet(() -> home.actor(arguments.value(ACTOR.name()), Door.CLI)), null, null).actors();
  }

  /** The queued runs that take a lock and that no live host takes; creates nothing in a home. */
  public List<StrandedRun> stranded(Arguments arguments, LeaseName lock) {
    if (servers.of(arguments).isEmpty() && !home.runs().hasRecorded(StrandedRun.query(lock))) {
      return List.of();
    }
    Asking asking = asking(arguments);
    return asking.ask(RunOperations.LIST, Given.NOTHING.with(RunOperations.OF_LOCK, lock.value())
        .with(RunOperations.STATUS, RunStatus.WAITING.toString()).with(RunOperations.LIMIT, StrandedRun.MOST))
        .objects("runs").stream().filter(run -> run.get("queued") != null)
        .flatMap(run -> StrandedRun.of(asking.ask(RunOperations.VIEW,
            Given.NOTHING.with(RunOperations.RUN, run.text("request_id").orElse("")))))
        .toList();
  }

  /** The data of an answer, and what the caller may do next, unless a service has said it. */
  private record Done(JsonObject data, List<Remedy> remedies) {}

  /** What a command asks for, once or several times. */
  public Calls calls(Arguments arguments) {
    return new Calls(arguments);
  }

  /** The operations that one command asks for; it opens only what they use, and keeps it open until it is closed. */
  public final class Calls implements AutoCloseable {
    private final Arguments arguments;
    private final Optional<Server> server;
    private final HomeRunSource runs;
    private final Map<List<Operation>, Operations> subjects = new LinkedHashMap<>();
    private final List<Runnable> endings = new ArrayList<>();

    private Calls(Arguments arguments) {
      this.arguments = arguments;
      server = servers.of(arguments);
      runs = new HomeRunSource(home);
    }

    /** Whether a service carries them out. */
    public boolean isRemote() {
      return server.isPresent();
    }

    /** The data of an operation's answer. A refusal is thrown. */
    public JsonObject send(Operation operation, Given given) {
      return done(operation, given).data();
    }

    private Done done(Operation operation, Given given) {
      if (server.isPresent()) {
        return new Done(remote(server.get(), operation, given), List.of());
      }
      Caller caller = Caller.ofUser(actor(operation, given), ProcessUser::name, Role.OPERATOR,
          home.door(Door.CLI));
      Cancellation interrupted = new Cancellation();
      if (!patience(operation, given).isZero()) {
        interruptions.on(interrupted::cancel);
      }
      Handler.Request request = new Handler.Request(given, caller,
          new Handler.Client(interrupted, Requests.this::waiting));
      Answer answer = Answer.of(permitted(operation, request), null, home.time().now());
      return switch (answer) {
        case Answer.Done _ when interrupted.isCancelled() -> throw refusal(Answer.givenUp(operation, given), caller);
        case Answer.Done done -> new Done(JsonReader.readOwn(done.body().end()), done.remedies());
        case Answer.Listing listing -> new Done(JsonReader.readOwn(listing.data().end()), List.of());
        case Problem problem -> throw refusal(problem, caller);
      };
    }

    /** The outcome of an operation. Even an operator may not vote where others are asked. */
    private Outcome permitted(Operation operation, Handler.Request request) {
      try {
        return operations(operation).handle(operation, request);
      } catch (Forbidden e) {
        home.auditLog().append(new AuditEvent.AccessDenied(home.time().now(), null, null, e.reason().toString(), 0,
            Origin.of(request.caller().actor())));
        throw refusal(CommonProblems.of(e), request.caller());
      }
    }

    private RefusedCommand refusal(Problem problem, Caller caller) {
      return new RefusedCommand(Objects.requireNonNullElse(problem.code(), ErrorCode.INTERNAL_ERROR),
          Reply.of(problem).by(caller.name()));
    }

    /** A task is changed by its agent; anything else by the actor, unless that option is an argument. */
    private String actor(Operation operation, Given given) {
      boolean isArgument = operation.args().stream().anyMatch(arg -> ACTOR.name().equals(arg.option()));
      return home.actor(given.find(TaskOperations.WORKER).map(agent -> new Agent(agent).name())
          .or(() -> isArgument ? Optional.empty() : arguments.value(ACTOR.name())));
    }

    /** The operations of the subject of one. */
    private synchronized Operations operations(Operation operation) {
      WaitingCalls waits = new WaitingCalls(Places.ofOneCaller(1));
      if (LockOperations.ALL.contains(operation)) {
        return subjects.computeIfAbsent(LockOperations.ALL, _ -> new Operations(new LockHandlers(home.locks(),
            home.freezes(), LockHandlers.Host.of(home), home.scheduler(), waits, () -> home.heartbeats().lag()).all()));
      }
      if (HaltOperations.ALL.contains(operation)) {
        return subjects.computeIfAbsent(HaltOperations.ALL,
            _ -> new Operations(new HaltHandlers(home.halts(), home::newRequestId).all()));
      }
      if (ApprovalOperations.ALL.contains(operation)) {
        return subjects.computeIfAbsent(ApprovalOperations.ALL, _ -> new Operations(new ApprovalHandlers(() -> {
          var _ = runs.queue();
          return runs.runs().approvals();
        }).all()));
      }
      if (RunOperations.ALL.contains(operation)) {
        return subjects.computeIfAbsent(RunOperations.ALL,
            _ -> new Operations(new RunHandlers(runs, home.scheduler(), home.time(), waits).all()));
      }
      if (HomeOperations.ALL.contains(operation)) {
        return subjects.computeIfAbsent(HomeOperations.ALL, _ -> new Operations(
            new HomeHandlers(() -> home.runs().hosts(runs.engine()).list(), home::auditTrail).all()));
      }
      if (TaskOperations.ALL.contains(operation)) {
        Supplier<Tasks> tasks = opened(home::tasks, Tasks::close);
        return subjects.computeIfAbsent(TaskOperations.ALL,
            _ -> new Operations(new TaskHandlers(tasks, home::catalogue, home.halts()).all()));
      }
      if (MailboxOperations.ALL.contains(operation)) {
        Supplier<Mailboxes> mailboxes = opened(home::mailboxes, Mailboxes::close);
        return subjects.computeIfAbsent(MailboxOperations.ALL,
            _ -> new Operations(new MailboxHandlers(mailboxes, home.halts(), waits).all()));
      }
      throw new IllegalStateException(operation.id() + " is carried out by services only");
    }

    /** Opens something at its first use; it is closed with this. */
    private <T> Supplier<T> opened(Supplier<T> opener, Consumer<T> closer) {
      List<T> opened = new ArrayList<>();
      return () -> {
        synchronized (opened) {
          if (opened.isEmpty()) {
            opened.add(opener.get());
            endings.add(() -> closer.accept(opened.getFirst()));
          }
          return opened.getFirst();
        }
      };
    }

    @Override
    public void close() {
      endings.forEach(Runnable::run);
      runs.close();
    }
  }

  /** How long a request may wait. */
  private static Duration patience(Operation operation, Given given) {
    Operation.Waiting waiting = operation.waiting();
    return waiting == null ? Duration.ZERO : Duration.ofSeconds(given.get(waiting.limit()));
  }

  private JsonObject remote(Server server, Operation operation, Given given) {
    Operation.Waiting waiting = operation.waiting();
    Duration patience = patience(operation, given);
    if (waiting == null || patience.isZero()) {
      return operation.arg(CommonArgs.CURSOR.name()).isPresent()
          ? JsonReader.readOwn(RemotePages.read(server, operation, given).json())
          : server.send(new Ask(operation, given), patience);
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
      throw new RefusedCommand(Objects.requireNonNull(problem.code()), Reply.of(problem));
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
    } catch (RefusedCommand refusal) {
      if (!refusal.is(ErrorCode.RECEIPT_HANDLE_EXPIRED) && !refusal.is(ErrorCode.LOCK_NOT_FOUND)) {
        throw refusal;
      }
    }
  }

  private void waiting(LeaseName name, Decision.Obstacle obstacle, Duration waited, int position) {
    console.words(LockText.waiting(name, obstacle, waited, position));
  }
}

package fleet.tower.cli.lock;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.LockText;
import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.Remedies;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.OperationCommand;
import fleet.tower.cli.shell.Option;
import fleet.tower.guard.Commands;
import fleet.tower.guard.Guard;
import fleet.tower.home.Home;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltWatch;
import fleet.tower.lock.LockClient;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.Arg;
import fleet.tower.operation.CommonArgs;
import fleet.tower.operation.Given;
import fleet.tower.operation.LockOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.Console;

/**
 * {@code tower guard}: holds a lock exactly as long as a command runs. Its exit code is the command's; if the command
 * was never started it is 75, which means "try again later" in sendmail, or the code of {@code -E}.
 */
public final class GuardCommand {
  private static final int MOST_CODE = 255;
  private static final int BY_SIGNAL = 128;
  /** What it shares with any other request for a lock. */
  private static final List<Arg<?>> SHARED = List.of(LockOperations.TTL, LockOperations.WAIT, LockOperations.FORCE,
      CommonArgs.REASON, LockOperations.METADATA, CommonArgs.REQUEST_ID);
  private static final List<Option> OWN = List.of(flag("force", "the same as --force-lock"),
      value("on-lost", "warn|stop", "if the lock is lost: warn and continue, or stop the command (default warn)"),
      value("E", "not-started-exit", "N", "exit code if the command was never started (default 75)"),
      value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)"));

  private static final Set<ErrorCode> OF_LOCK = EnumSet.of(ErrorCode.LOCK_BLOCKED, ErrorCode.LOCK_STALE,
      ErrorCode.LOCK_FROZEN, ErrorCode.HALTED, ErrorCode.WINDOW_CLOSED, ErrorCode.QUOTA_EXCEEDED,
      ErrorCode.LOCK_WAIT_TIMEOUT,
      ErrorCode.TOO_MANY_WAITERS);

  /** How often a guard looks at the halts; a service answers each look. */
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final Home home;
  private final Console console;
  private final Function<Arguments, LockClient> clients;
  private final Function<Arguments, HaltSource> halts;

  /**
   * @param clients the locks that the command works on
   *
   * @param halts the halts that it obeys
   */
  public GuardCommand(Home home, Console console, Function<Arguments, LockClient> clients,
      Function<Arguments, HaltSource> halts) {
    this.halts = halts;
    this.home = home;
    this.console = console;
    this.clients = clients;
  }

  /** The command. */
  public Command guard() {
    return new Command("guard", List.of("NAME", "-- CMD..."), "hold a lock while a command runs",
        Stream.concat(SHARED.stream().<Option>map(OperationCommand::option), OWN.stream()).toList(), this::guard);
  }

  private Reply guard(Arguments arguments) {
    // First, because it prepares the slowest part in the background.
    Commands commands = home.guardedCommands();
    Exit notStarted = notStarted(arguments);
    Guard.Request request = request(arguments);
    LeaseRenewers renewers = home.heartbeats();
    Guard.Outcome outcome;
    try {
      Guard.Halts watched = receiver -> new HaltWatch(halts.apply(arguments), BETWEEN_LOOKS, home.scheduler(),
          receiver);
      outcome = new Guard(clients.apply(arguments), renewers, commands, watched, new GuardText(console)).run(request);
    } catch (UsageError | InvalidValue e) {
      throw e;
    } catch (RuntimeException e) {
      return refused(e).ending(notStarted);
    }
    return switch (outcome) {
      case Guard.Outcome.Ended(Commands.Exited(int code)) -> Reply.silent(new Exit(code));
      case Guard.Outcome.Ended(Commands.Signalled(int signal)) -> Reply.silent(new Exit(BY_SIGNAL + signal));
      case Guard.Outcome.Interrupted(int signal) -> Reply.silent(new Exit(BY_SIGNAL + signal));
      case Guard.Outcome.Stopped() -> Reply.silent(Exit.LOST);
      case Guard.Outcome.NotRun(Commands.NotStarted(int code, String problem)) ->
        Reply.failure(ErrorCode.COMMAND_NOT_RUN,
            "cannot run " + problem, "").ending(new Exit(code));
      case Guard.Outcome.NotAcquired(var why) ->
        GuardText.notAcquired(request.lock().name(), why, home.time().now()).by(request.lock().actor().name())
            .ending(notStarted);
    };
  }

  /** A service knows the request as one for a lock; the command that is repeated is the guard. */
  private static Reply refused(RuntimeException failure) {
    ErrorCode code = failure instanceof RefusedCommand refusal ? refusal.code() : null;
    return failure instanceof RefusedCommand refusal && code != null && OF_LOCK.contains(code)
        ? refusal.reply().next(Remedies.of(code))
        : Reply.of(failure);
  }

  private Guard.Request request(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    Given given = OperationCommand.given(SHARED, arguments.on(), home.time()::now);
    RequestId requestId = given.find(CommonArgs.REQUEST_ID).map(RequestId::new).orElseGet(home::newRequestId);
    Actor actor = home.actor(arguments.value("actor"), Door.GUARD);
    Holder holder = home.holder(actor.name(), "guard", "none", ProcessHandle.current().pid());
    Ttl ttl = new Ttl(given.get(LockOperations.TTL));
    LockCommands.warnOfShort(ttl, console);
    boolean force = given.get(LockOperations.FORCE) || arguments.has("force");
    return new Guard.Request(
        new AcquireRequest(name, requestId, holder, ttl, force,
            AcquireRequest.Metadata.of(given.orNull(LockOperations.METADATA), null), LockCommands.reentry(arguments),
            actor, CommonArgs.reason(given).orElse(null)),
        patience(given, name),
        outer(name), onLost(arguments), arguments.command());
  }

  private Guard.Request.@Nullable Patience patience(Given given, LeaseName name) {
    if (!given.has(LockOperations.WAIT)) {
      return null;
    }
    Duration limit = Duration.ofSeconds(given.get(LockOperations.WAIT));
    return cancellation -> new Wait(limit, home.scheduler(), (obstacle, waited, position) -> console
        .words(LockText.waiting(name, obstacle, waited, position)), cancellation);
  }

  /** The lock of a guard around this one, from its environment, if it has the same name. */
  private Guard.Request.@Nullable Outer outer(LeaseName name) {
    String requestId = home.variable("TOWER_REQUEST_ID").orElse("");
    String token = home.variable("TOWER_LOCK_TOKEN").orElse("");
    boolean isOfName = home.variable("TOWER_LOCK_NAME").filter(name.value()::equals).isPresent();
    return isOfName && RequestId.isValid(requestId) && token.matches("[1-9]\\d{0,17}")
        ? new Guard.Request.Outer(new RequestId(requestId), new FencingToken(Long.parseLong(token)))
        : null;
  }

  private static Guard.Request.OnLost onLost(Arguments arguments) {
    String text = arguments.value("on-lost").orElse("warn");
    return switch (text) {
      case "warn" -> Guard.Request.OnLost.WARN;
      case "stop" -> Guard.Request.OnLost.STOP;
      default -> throw new UsageError("--on-lost '" + text + "' is neither warn nor stop");
    };
  }

  private static Exit notStarted(Arguments arguments) {
    long code = arguments.number("not-started-exit").orElse((long) Exit.NOT_STARTED.code());
    if (code > MOST_CODE) {
      throw new UsageError("-E " + code + " is not an exit code from 0 to " + MOST_CODE);
    }
    return new Exit((int) code);
  }
}

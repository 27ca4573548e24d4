package fleet.tower.cli.lock;

import static fleet.tower.cli.shell.Option.flag;
import static fleet.tower.cli.shell.Option.optionalDuration;
import static fleet.tower.cli.shell.Option.text;
import static fleet.tower.cli.shell.Option.value;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.Answers;
import fleet.tower.answer.Failures;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.LockText;
import fleet.tower.answer.NextActions;
import fleet.tower.answer.Reply;
import fleet.tower.answer.UsageError;
import fleet.tower.cli.shell.Arguments;
import fleet.tower.cli.shell.Command;
import fleet.tower.cli.shell.Interruptions;
import fleet.tower.cli.shell.Option;
import fleet.tower.home.Home;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Door;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockClient;
import fleet.tower.lock.Locks;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/** {@code tower lock}: acquires a lock that lasts until it is released or goes stale. */
public final class HoldingCommands {
  public static final Duration DEFAULT_WAIT = Duration.ofMinutes(10);
  private static final List<Option> LOCK_OPTIONS = List.of(
      value("ttl", "D", "how long the lock stays valid after its last heartbeat (default 15m)"),
      optionalDuration("wait", "wait while the lock is held (default 10m, at most 1h)"),
      flag("force-lock", "take the lock from its holder if it is stale"), flag("force", "the same as --force-lock"),
      Option.requestId(),
      value("actor", "A", "the actor (default: TOWER_ACTOR, else the OS user)"),
      text("intent", "I", "what the lock is for (default: manual)"),
      text("intent-version", "V", "the intent's version (default: none)"),
      value("pid", "N", "the process shown as its holder (default: this one)"));

  private final Home home;
  private final Console console;
  private final Interruptions interruptions;
  private final Function<Arguments, LockClient> clients;

  public HoldingCommands(Home home, Console console, Interruptions interruptions,
      Function<Arguments, LockClient> clients) {
    this.home = home;
    this.clients = clients;
    this.console = console;
    this.interruptions = interruptions;
  }

  /** The command. */
  public Command lock() {
    return new Command("lock", List.of("NAME"), "acquire a lock and print the request id that owns it", LOCK_OPTIONS,
        this::lock);
  }

  private Reply lock(Arguments arguments) {
    LeaseName name = new LeaseName(arguments.operand(0));
    RequestId requestId = arguments.value("request-id").map(RequestId::new).orElseGet(home::newRequestId);
    Actor actor = home.actor(arguments.value("actor"), Door.CLI);
    Holder holder = home.holder(actor.name(), arguments.text("intent").orElse("manual"),
        arguments.text("intent-version").orElse("none"),
        arguments.number("pid").orElseGet(() -> ProcessHandle.current().pid()));
    boolean force = arguments.has("force-lock") || arguments.has("force");
    AcquireRequest request = new AcquireRequest(name, requestId, holder, ttl(arguments, console), force,
        AcquireRequest.Metadata.NONE, reentry(arguments), actor, null);
    return lock(request, arguments).by(actor.name());
  }

  private Reply lock(AcquireRequest request, Arguments arguments) {
    LeaseName name = request.name();
    if (!arguments.has("wait")) {
      return answer(name, clients.apply(arguments).acquire(request));
    }
    LockClient locks = clients.apply(arguments);
    Wait wait = wait(arguments, name);
    interruptions.on(wait.cancellation()::cancel);
    return switch (locks.acquire(request, wait)) {
      case WaitOutcome.Answered(AcquireOutcome.Granted(HeldLease held, var _)) when wait.cancellation()
          .isCancelled() -> {
        locks.release(request.actor(), name, held.lease().owner(), held.lease().token(), Locks.Result.ABORTED, null);
        yield cancelled(name);
      }
      case WaitOutcome.Answered(AcquireOutcome outcome) -> answer(name, outcome);
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> Failures.of(ErrorCode.LOCK_WAIT_TIMEOUT,
          "lock " + name + " was not free within " + TimeSpans.format(wait.limit()) + ": "
              + LockText.describe(obstacle),
          "", LockJson.waitedInVain(name, obstacle)).next(NextActions.timedOut(name, obstacle, home.time().now()));
      case WaitOutcome.TooManyWaiters(int limit) -> Failures.of(ErrorCode.TOO_MANY_WAITERS,
          limit + " requests already wait for lock " + name, "",
          JsonWriter.line().put("lock_name", name.value()).put("waiters", limit)).next(NextActions.crowded(name));
      case WaitOutcome.Cancelled() -> cancelled(name);
    };
  }

  private static Reply cancelled(LeaseName name) {
    return Failures.of(ErrorCode.CANCELLED, "waiting for lock " + name + " was cancelled", "");
  }

  private Reply answer(LeaseName name, AcquireOutcome outcome) {
    return switch (outcome) {
      case AcquireOutcome.Granted(var held, var previous) -> granted(held.lease(), previous, false);
      case AcquireOutcome.Kept(var held) -> granted(held.lease(), null, true);
      case AcquireOutcome.Refused(var refusal) -> Answers.refusal(name, refusal, home.time().now());
      case AcquireOutcome.Undone undone -> Failures.of(ErrorCode.STORAGE_UNAVAILABLE,
          "lock " + name + " was not acquired: " + undone.error()
              + (undone.leftBehind() ? "; the attempt could not be undone, so the lock will go stale" : ""),
          "see `tower doctor`");
    };
  }

  private static Reply granted(Lease lease, @Nullable PreviousLock previous, boolean alreadyHeld) {
    Reply reply = Reply.of(Exit.DONE, LockJson.granted(lease, previous, alreadyHeld))
        .data(lease.requestId().value());
    Lease stolen = previous == null ? null : previous.lease();
    if (stolen != null) {
      reply.words(LockText.taken(stolen));
    }
    return reply.words("lock " + lease.name() + (alreadyHeld ? " is already held" : " acquired") + ", fencing token "
        + lease.token() + ", until " + Timestamps.format(lease.expiresAt()) + " unless renewed");
  }

  private Wait wait(Arguments arguments, LeaseName name) {
    Duration limit = arguments.duration("wait").orElse(DEFAULT_WAIT);
    if (limit.compareTo(Wait.MAX_LIMIT) > 0) {
      throw new UsageError("--wait " + TimeSpans.format(limit) + " is more than 1h");
    }
    return new Wait(limit, home.scheduler(), progress(console, name));
  }

  /** Reports the obstacle of a wait, its duration, and the number of requests ahead. */
  public static Wait.Progress progress(Console console, LeaseName name) {
    return (obstacle, waited, position) -> console.words("tower: lock " + name + " is "
        + LockText.describe(obstacle) + ", waited for " + TimeSpans.format(waited) + switch (position) {
          case Wait.UNKNOWN_POSITION -> "";
          case 0 -> ", next in line";
          default -> ", " + position + " ahead of us in line";
        });
  }

  /** A request with an id of the client may be a repeated one; a request with a new id cannot. */
  public static AcquireRequest.Reentry reentry(Arguments arguments) {
    return arguments.has("request-id") ? AcquireRequest.Reentry.CLIENT : AcquireRequest.Reentry.NEVER;
  }

  /** The value of {@code --ttl}, or the default; a short one causes a warning. */
  public static Ttl ttl(Arguments arguments, Console console) {
    Ttl ttl = ttl(arguments);
    if (ttl.isShort()) {
      console
          .words("tower: warning: a lock with a ttl of " + ttl + " is lost whenever the host pauses; use 30s or more");
    }
    return ttl;
  }

  private static Ttl ttl(Arguments arguments) {
    Duration ttl = arguments.duration("ttl").orElse(Ttl.DEFAULT.duration());
    if (ttl.toMillisPart() != 0) {
      throw new UsageError("--ttl must be whole seconds, not " + ttl.toMillis() + " ms");
    }
    return new Ttl(ttl.toSeconds());
  }
}

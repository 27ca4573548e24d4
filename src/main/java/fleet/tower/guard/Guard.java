package fleet.tower.guard;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltWatch;
import fleet.tower.lock.HolderProcess;
import fleet.tower.lock.LockClient;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RefusalKind;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.time.Cancellation;

/**
 * Holds a lock exactly as long as a command runs.
 *
 * <ol>
 * <li>Signals are handled before the lock is acquired, so that no signal leaves a lock behind.
 * <li>The lock is renewed while the command runs. The renewals end before it is released, so that no late one writes it
 * back.
 * <li>A lock that was lost is neither renewed nor released: another holder has it. One that was given up because it
 * could not be renewed is released by its token, in case it is still held.
 * <li>A halt of the level {@link Halt.Level#KILL} stops the command, whatever was requested for a lost lock, and the
 * lock is released.
 * <li>A guard that repeats the request of one that has ended, perhaps by a kill, owns its lock.
 * <li>A guard inside a guard of the same name runs its command under the outer guard's lock and leaves that alone.
 * </ol>
 */
public final class Guard {
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final LockClient locks;
  private final LeaseRenewers renewers;
  private final Commands commands;
  private final Halts halts;
  private final Listener listener;

  public Guard(LockClient locks, LeaseRenewers renewers, Commands commands, Halts halts, Listener listener) {
    this.halts = halts;
    this.locks = locks;
    this.renewers = renewers;
    this.commands = commands;
    this.listener = listener;
  }

  /** Runs the command to its end. */
  public Outcome run(Request request) {
    SignalRelay signals = new SignalRelay();
    try (Commands.Trap _ = commands.trap(signals::accept)) {
      return isWithin(request) ? runAsPart(request, signals) : acquireAndRun(request, signals);
    }
  }

  private boolean isWithin(Request request) {
    Request.Outer outer = request.outer();
    return outer != null && locks.view(request.lock().name()).leaseState() instanceof LeaseState.Held held
        && !held.isStale()
        && held.lease().requestId().equals(outer.requestId()) && held.lease().token().equals(outer.token());
  }

  private Outcome runAsPart(Request request, SignalRelay signals) {
    return switch (signals.start(() -> commands.start(request.argv(), Map.of()))) {
      case null -> new Outcome.Interrupted(signals.first());
      case Commands.NotStarted why -> new Outcome.NotRun(why);
      case Commands.Started(Commands.Running command) -> {
        Commands.End end = command.await(() -> {});
        signals.end();
        yield new Outcome.Ended(end);
      }
    };
  }

  private Outcome acquireAndRun(Request request, SignalRelay signals) {
    AcquireRequest lock = locks.thisProcess().map(request.lock()::renewedBy).orElse(request.lock());
    Request.Patience patience = request.patience();
    WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome = patience == null
        ? new WaitOutcome.Answered<>(locks.acquire(lock))
        : locks.acquire(lock, patience.until(signals.waits()));
    if (outcome instanceof WaitOutcome.Answered<AcquireOutcome, ?>(AcquireOutcome answer)) {
      switch (answer) {
        case AcquireOutcome.Granted(HeldLease held, var previous) -> {
          if (previous != null && previous.lease() != null) {
            listener.taken(previous.lease());
          }
          return runUnder(held, true, request, signals);
        }
        case AcquireOutcome.Kept(HeldLease held) -> {
          return runUnder(held, !isOfLiveGuard(held.lease()), request, signals);
        }
        case AcquireOutcome.Refused _,AcquireOutcome.Undone _ -> {
        }
      }
    }
    return signals.first() == 0
        ? new Outcome.NotAcquired(outcome)
        : new Outcome.Interrupted(signals.first());
  }

  /** Whether the process that first took a lock, which was kept by a repeated request, may still release it. */
  private boolean isOfLiveGuard(Lease lease) {
    return HolderProcess.of(lease).isPresent() && locks.view(lease.name()).leaseState() instanceof LeaseState.Held held
        && !held.lease().holder().isGone();
  }

  /** @param releases whether this guard releases the lock, because it took it, or the guard that did has ended */
  private Outcome runUnder(HeldLease held, boolean releases, Request request, SignalRelay signals) {
    Lease lease = held.lease();
    Actor actor = request.lock().actor();
    Map<String, String> environment = Map.of("TOWER_LOCK_NAME", lease.name().value(), "TOWER_LOCK_TOKEN",
        lease.token().toString(), "TOWER_REQUEST_ID", lease.requestId().value());
    Consumer<Locks.Result> release = result -> {
      if (releases) {
        release(actor, lease, result);
      }
    };
    Commands.Start start;
    try {
      start = signals.start(() -> commands.start(request.argv(), environment));
    } catch (RuntimeException | Error e) {
      release.accept(Locks.Result.FAILURE);
      throw e;
    }
    return switch (start) {
      case null -> {
        release.accept(Locks.Result.ABORTED);
        yield new Outcome.Interrupted(signals.first());
      }
      case Commands.NotStarted why -> {
        release.accept(Locks.Result.FAILURE);
        yield new Outcome.NotRun(why);
      }
      case Commands.Started(Commands.Running command) -> {
        GuardedCommand guarded = new GuardedCommand(command, lease.name(), subject(request.lock(), lease),
            request.onLost());
        LeaseRenewer renewer = renewers.keep(held, locks.renewal(actor, lease),
            locks.recording(actor, lease, guarded));
        guarded.renewer.complete(renewer);
        HaltWatch watch = halts.watch(guarded::obey);
        watch.begun();
        Commands.End end = command.await(renewer::renew);
        watch.ended();
        signals.end();
        renewer.stop();
        guarded.awaitStop();
        if (renewer.isLost()) {
          guarded.reportedLoss.join();
        } else {
          // A lock that was given up is released too: while no other holder has it, the next one need not wait
          // until it is stale.
          release.accept(guarded.wasStopped() ? Locks.Result.FAILURE : result(end, signals));
        }
        yield guarded.wasStopped() ? new Outcome.Stopped() : new Outcome.Ended(end);
      }
    };
  }

  /** A service knows a guard by the name of its token, and names that in the lock. */
  private static Halt.Subject subject(AcquireRequest request, Lease lease) {
    return Halt.Subject.of(new Actor(lease.holder().actor(), request.actor().name(), null), lease.holder().intent(),
        lease.name());
  }

  private static Locks.Result result(Commands.End end, SignalRelay signals) {
    if (end instanceof Commands.Exited(int code) && code == 0) {
      return Locks.Result.SUCCESS;
    }
    return signals.first() == 0 ? Locks.Result.FAILURE : Locks.Result.ABORTED;
  }

  /** A failure here must not hide the command's own end. */
  private void release(Actor actor, Lease lease, Locks.Result result) {
    try {
      switch (locks.release(actor, lease.name(), lease.owner(), lease.token(), result, null)) {
        case ReleaseOutcome.Released _ -> {
        }
        case ReleaseOutcome.Absent() -> listener.lost(lease.name(), null, false);
        case ReleaseOutcome.NotOwner(Lease holder) -> listener.lost(lease.name(), holder, false);
        case ReleaseOutcome.Refused(var refusal) -> listener.notReleased(lease.name(),
            RefusalKind.of(refusal).code().code());
        case ReleaseOutcome.Failed(Lease _, var _, String error) -> listener.notReleased(lease.name(), error);
      }
    } catch (RuntimeException e) {
      listener.notReleased(lease.name(), e);
    }
  }

  /**
   * A command that runs under a lock: it is stopped, or continues with a warning, when the lock cannot be renewed or is
   * lost.
   */
  private final class GuardedCommand implements RenewalListener {
    private final Commands.Running command;
    private final LeaseName name;
    private final Halt.Subject subject;
    private final Request.OnLost onLost;
    private final CompletableFuture<LeaseRenewer> renewer = new CompletableFuture<>();
    /**
     * Completed when the listener knows of the loss, which another thread may still report when the renewals have
     * ended.
     */
    private final CompletableFuture<@Nullable Void> reportedLoss = new CompletableFuture<>();
    private volatile boolean stopped;
    private volatile @Nullable Thread ending;
    private final AtomicBoolean halted = new AtomicBoolean();

    GuardedCommand(Commands.Running command, LeaseName name, Halt.Subject subject, Request.OnLost onLost) {
      this.subject = subject;
      this.command = command;
      this.name = name;
      this.onLost = onLost;
    }

    boolean wasStopped() {
      return stopped;
    }

    @Override
    public void renewed(LeaseTerm term) {
      command.check();
    }

    @Override
    public void failed(int consecutiveFailures, String error) {
      if (consecutiveFailures == 1 || consecutiveFailures == FAILURES_TO_REPORT) {
        listener.heartbeatFailed(name, consecutiveFailures, error);
      }
      command.check();
    }

    /** The lock may still be held, so a command that may continue without a lock is not stopped for this. */
    @Override
    public void doubted(LeaseTerm term, HeartbeatCounts counts) {
      boolean stopping = onLost == Request.OnLost.STOP;
      stopped |= stopping;
      ending = Thread.ofVirtual().start(() -> {
        listener.notRenewed(name, counts.error(), stopping);
        if (stopping) {
          // Before the audit log, which may be on the disk that hangs.
          command.stop(renewers.graceWithin(term, GRACE));
          renewer.join().giveUp(counts);
        } else {
          renewer.join().reportFailures(counts);
        }
      });
    }

    void obey(HaltSource.InForce inForce) {
      inForce.strictest(subject).filter(halt -> halt.level() == Halt.Level.KILL)
          .filter(_ -> halted.compareAndSet(false, true)).ifPresent(halt -> {
            stopped = true;
            ending = Thread.ofVirtual().start(() -> {
              listener.halted(name, halt.refusal());
              command.stop(GRACE);
            });
          });
    }

    /** Waits until the stop that a doubt or a halt began is over, so that the audit log has it before the release. */
    void awaitStop() {
      Thread begun = ending;
      boolean interrupted = false;
      while (begun != null && begun.isAlive()) {
        try {
          begun.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void lost(Renewal.Lost loss) {
      boolean stopping = onLost == Request.OnLost.STOP;
      stopped |= stopping;
      try {
        listener.lost(name, loss.holder(), stopping);
        if (stopping) {
          command.stop(GRACE);
        }
      } finally {
        reportedLoss.complete(null);
      }
    }
  }

  /** The halts that a guard obeys while its command runs. */
  @FunctionalInterface
  public interface Halts {
    HaltWatch watch(Consumer<HaltSource.InForce> receiver);
  }

  /** Receives the events of a guard that an operator should know. It is not called while all is well. */
  public interface Listener {

    /** The lock was taken from a dead holder. */
    void taken(Lease previous);

    /**
     * A heartbeat failed, for the {@code consecutiveFailures}th time in a row; the lock is still held, as far as is
     * known. Called for the first failure in a row and for the third.
     */
    void heartbeatFailed(LeaseName name, int consecutiveFailures, String error);

    /**
     * The lock could not be renewed, and another holder may have it soon.
     *
     * @param stopping whether the command is stopped for this reason
     */
    void notRenewed(LeaseName name, String error, boolean stopping);

    /**
     * The lock was lost.
     *
     * @param holder the new holder; null for none
     * @param stopping whether the command is stopped for this reason
     */
    void lost(LeaseName name, @Nullable Lease holder, boolean stopping);

    /** A halt stops the command. */
    void halted(LeaseName name, Decision.Halted halt);

    /** The command has ended, and its lock could not be released. */
    void notReleased(LeaseName name, String problem);

    /** The same for a release that failed with an exception. */
    void notReleased(LeaseName name, RuntimeException failure);
  }

  /** The outcome of a guard. */
  public sealed interface Outcome {

    /** The command ran and ended. */
    record Ended(Commands.End end) implements Outcome {}

    /** The lock was lost while the command ran, or a halt covers it, so the command was stopped. */
    record Stopped() implements Outcome {}

    /** The lock was acquired and released again: the command cannot be run. */
    record NotRun(Commands.NotStarted why) implements Outcome {}

    /** A signal came before the command started; no lock is held. */
    record Interrupted(int signal) implements Outcome {}

    /** The lock was not acquired, so the command was not started. */
    record NotAcquired(WaitOutcome<AcquireOutcome, Decision.Obstacle> why) implements Outcome {}
  }

  /**
   * A command to run under a lock.
   *
   * @param patience how long to wait for the lock; null to be refused at once
   * @param outer the lock of the guard around this one; null for none
   */
  public record Request(AcquireRequest lock, @Nullable Patience patience, @Nullable Outer outer, OnLost onLost,
      List<String> argv) {
    public Request {
      argv = List.copyOf(argv);
      if (argv.isEmpty()) {
        throw new IllegalStateException("a guard without a command");
      }
    }

    /** What happens to the command when its lock is lost. */
    public enum OnLost {
      WARN, STOP
    }

    /** Creates a wait that a signal can end. */
    public interface Patience {
      Wait until(Cancellation cancellation);
    }

    /** The owner and the token of the lock that a guard around this one holds. */
    public record Outer(RequestId requestId, FencingToken token) {}
  }
}

package fleet.tower.guard;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.Owner;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.Locks;
import fleet.tower.lock.RefusalNames;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.queue.WaitOutcome;

/**
 * Holds a lock exactly as long as a command runs.
 *
 * <ol>
 * <li>Signals are listened to before the lock is asked for, so that none finds a lock that nobody would give back.
 * <li>The lock is renewed while the command runs, and the renewals are over before it is given back: none comes late and
 * writes it anew.
 * <li>A lock that was lost is neither renewed nor given back; it is somebody else's. One that was given up because it could not be
 * renewed is released by its token, in case it is still ours.
 * <li>A guard within a guard of the same name runs its command under the outer one's tenure and leaves that alone.
 * </ol>
 */
public final class Guard {
  private static final Duration GRACE = Duration.ofSeconds(10);

  private final GuardedLocks locks;
  private final LeaseRenewers heartbeats;
  private final Commands commands;
  private final GuardListener listener;

  public Guard(GuardedLocks locks, LeaseRenewers heartbeats, Commands commands, GuardListener listener) {
    this.locks = requireNonNull(locks);
    this.heartbeats = requireNonNull(heartbeats);
    this.commands = requireNonNull(commands);
    this.listener = requireNonNull(listener);
  }

  /** Runs the command to its end. */
  public GuardOutcome run(GuardRequest request) {
    SignalRelay signals = new SignalRelay();
    try (Commands.Trap _ = commands.trap(signals::accept)) {
      return isWithin(request) ? runAsPart(request, signals) : acquireAndRun(request, signals);
    }
  }

  private boolean isWithin(GuardRequest request) {
    GuardRequest.Outer outer = request.outer();
    return outer != null && locks.look(request.lock().name()) instanceof LeaseState.Held held && !held.isStale()
        && held.lease().isHeldBy(Owner.ofAnyActor(outer.requestId()), outer.token());
  }

  private GuardOutcome runAsPart(GuardRequest request, SignalRelay signals) {
    return switch (signals.start(() -> commands.start(request.argv(), Map.of()))) {
      case null -> new GuardOutcome.Interrupted(signals.first());
      case Commands.NotStarted why -> new GuardOutcome.NotRun(why);
      case Commands.Started(Commands.Running command) -> {
        Commands.End end = command.await(() -> {});
        signals.end();
        yield new GuardOutcome.Ended(end);
      }
    };
  }

  private GuardOutcome acquireAndRun(GuardRequest request, SignalRelay signals) {
    GuardRequest.Patience patience = request.patience();
    var outcome = locks.acquire(request.lock(), patience == null ? null : patience.until(signals.waits()));
    if (outcome instanceof WaitOutcome.Answered<AcquireOutcome, ?>(AcquireOutcome answer)) {
      switch (answer) {
        case AcquireOutcome.Granted(HeldLease tenure, var displaced) -> {
          if (displaced != null && displaced.lease() != null) {
            listener.taken(displaced.lease());
          }
          return runUnder(tenure, true, request, signals);
        }
        case AcquireOutcome.Kept(HeldLease tenure) -> {
          return runUnder(tenure, false, request, signals);
        }
        case AcquireOutcome.Refused _,AcquireOutcome.Undone _ -> {
        }
      }
    }
    return signals.first() == 0
        ? new GuardOutcome.NotHad(outcome)
        : new GuardOutcome.Interrupted(signals.first());
  }

  /** @param ours whether the lock was free before, so that it is to be given back */
  private GuardOutcome runUnder(HeldLease tenure, boolean ours, GuardRequest request, SignalRelay signals) {
    Lease lease = tenure.lease();
    Map<String, String> told = Map.of("TOWER_LOCK_NAME", lease.name().value(), "TOWER_LOCK_TOKEN",
        lease.token().toString(), "TOWER_REQUEST_ID", lease.requestId().value());
    Commands.Start start;
    try {
      start = signals.start(() -> commands.start(request.argv(), told));
    } catch (RuntimeException | Error e) {
      release(lease, ours, Locks.Result.FAILURE);
      throw e;
    }
    return switch (start) {
      case null -> {
        release(lease, ours, Locks.Result.ABORTED);
        yield new GuardOutcome.Interrupted(signals.first());
      }
      case Commands.NotStarted why -> {
        release(lease, ours, Locks.Result.FAILURE);
        yield new GuardOutcome.NotRun(why);
      }
      case Commands.Started(Commands.Running command) -> {
        Holding holding = new Holding(command, lease, request.onLost());
        LeaseRenewer keeper = heartbeats.keep(tenure, locks.pathOf(lease.name()), request.lock().actor(),
            locks.renewal(lease), holding);
        holding.keeper.complete(keeper);
        Commands.End end = command.await(keeper::renew);
        signals.end();
        keeper.stop();
        holding.settle();
        if (!keeper.isLost()) {
          // A lock that was given up is released too: while no one else holds it, the next holder need not wait
          // until it is stale.
          release(lease, ours, holding.wasStopped() ? Locks.Result.FAILURE : result(end, signals));
        }
        yield holding.wasStopped() ? new GuardOutcome.StoppedAsLost() : new GuardOutcome.Ended(end);
      }
    };
  }

  private static Locks.Result result(Commands.End end, SignalRelay signals) {
    if (end instanceof Commands.Exited(int code) && code == 0) {
      return Locks.Result.SUCCESS;
    }
    return signals.first() == 0 ? Locks.Result.FAILURE : Locks.Result.ABORTED;
  }

  /** Whatever goes wrong here, the command's own end is what the caller has to hear of. */
  private void release(Lease lease, boolean ours, Locks.Result result) {
    if (!ours) {
      return;
    }
    try {
      switch (locks.release(lease, result)) {
        case ReleaseOutcome.Released _ -> {
        }
        case ReleaseOutcome.Absent() -> listener.lost(lease.name(), null, false);
        case ReleaseOutcome.NotOwner(Lease holder) -> listener.lost(lease.name(), holder, false);
        case ReleaseOutcome.Unreadable(var refusal) -> listener.notReleased(lease.name(),
            RefusalNames.of(refusal));
        case ReleaseOutcome.Failed(Lease _, var _, String error) -> listener.notReleased(lease.name(), error);
      }
    } catch (RuntimeException e) {
      listener.notReleased(lease.name(), e.getMessage() == null ? e.toString() : e.getMessage());
    }
  }

  /** What becomes of a command as its lock's heartbeats go. */
  private final class Holding implements RenewalListener {
    private final Commands.Running command;
    private final Lease lease;
    private final GuardRequest.OnLost onLost;
    private final CompletableFuture<LeaseRenewer> keeper = new CompletableFuture<>();
    private volatile boolean stopped;
    private volatile @Nullable Thread ending;

    Holding(Commands.Running command, Lease lease, GuardRequest.OnLost onLost) {
      this.command = command;
      this.lease = lease;
      this.onLost = onLost;
    }

    boolean wasStopped() {
      return stopped;
    }

    @Override
    public void renewed(HeldLease tenure) {
      command.check();
    }

    @Override
    public void failed(int consecutiveFailures, String error) {
      if (consecutiveFailures == 1 || consecutiveFailures == FAILURES_TO_TELL) {
        listener.heartbeatFailed(lease.name(), consecutiveFailures, error);
      }
      command.check();
    }

    /** The lock may be ours still, so it is not for this that a command ends whose guard goes on without one. */
    @Override
    public void doubted(HeldLease tenure, HeartbeatCounts counts) {
      boolean stopping = onLost == GuardRequest.OnLost.STOP;
      stopped |= stopping;
      ending = Thread.ofVirtual().start(() -> {
        listener.notRenewed(lease.name(), counts.error(), stopping);
        if (stopping) {
          // First of all: the audit log may be on the disk that hangs.
          command.stop(heartbeats.graceWithin(tenure, GRACE));
          keeper.join().giveUp(counts);
        } else {
          keeper.join().reportFailures(counts);
        }
      });
    }

    /** Waits until what a doubt has begun is over, so that the audit log has it before the release. */
    void settle() {
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
      @Nullable
      Lease holder = loss.holder();
      switch (onLost) {
        case WARN -> listener.lost(lease.name(), holder, false);
        case STOP -> {
          stopped = true;
          listener.lost(lease.name(), holder, true);
          command.stop(GRACE);
        }
      }
    }
  }
}

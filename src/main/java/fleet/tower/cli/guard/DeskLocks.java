package fleet.tower.cli.guard;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import fleet.tower.cli.lock.LockDesk;
import fleet.tower.cli.reply.Told;
import fleet.tower.guard.GuardedLocks;
import fleet.tower.heartbeat.Renewal;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Occupancy;
import fleet.tower.lease.Tenure;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockAnswers;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.waiting.Wait;
import fleet.tower.waiting.WaitOutcome;

/**
 * The locks of guards at the desk where locks are asked for.
 *
 * @param isRemote whether a service keeps them
 */
record DeskLocks(LockDesk desk, boolean isRemote) implements GuardedLocks {
  private static final Duration BIT = Duration.ofSeconds(10);

  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, @Nullable Wait wait) {
    if (wait == null) {
      return new WaitOutcome.Answered<>(desk.acquire(request));
    }
    return isRemote ? acquireBit(request, wait) : desk.acquire(request, wait);
  }

  /**
   * Nobody can take back a call to a service that waits, and what it answers when nobody listens is a lock that nobody holds. So
   * one waits there for a bit, and again, and a signal is heard between two bits. The place in line is lost between them.
   */
  private WaitOutcome<AcquireOutcome, Decision.Obstacle> acquireBit(AcquireRequest request, Wait wait) {
    Duration waited = Duration.ZERO;
    for (;;) {
      Duration rest = wait.limit().minus(waited);
      Duration bit = rest.compareTo(BIT) < 0 ? rest : BIT;
      try {
        return desk.acquire(request, new Wait(bit, wait.scheduler(), since(waited, wait.progress())));
      } catch (Told told) {
        waited = waited.plus(bit);
        if (wait.cancellation().isCancelled()) {
          return new WaitOutcome.Cancelled<>(waited);
        }
        if (!"lock_wait_timeout".equals(told.getMessage()) || waited.compareTo(wait.limit()) >= 0) {
          throw told;
        }
      }
    }
  }

  /** Once in each bit, at its beginning. */
  private static Wait.Progress since(Duration before, Wait.Progress progress) {
    return (obstacle, waited, position) -> {
      if (waited.isZero()) {
        progress.waiting(obstacle, before, position);
      }
    };
  }

  @Override
  public Occupancy look(LeaseName name) {
    return desk.look(name).occupancy();
  }

  /** A service that cannot be reached is a heartbeat that failed, and no loss. */
  @Override
  public Renewal renewal(Lease lease) {
    return () -> {
      try {
        return switch (desk.renew(lease.name(), lease.requestId(), lease.token())) {
          case RenewOutcome.Renewed(Tenure tenure, long _) -> new Renewal.Renewed(tenure);
          case RenewOutcome.Gone() -> gone();
          case RenewOutcome.Taken(Lease by) -> new Renewal.Lost("held by " + by.requestId(), by);
          case RenewOutcome.Unreadable(Decision.Refusal refusal) -> new Renewal.Failed(LockAnswers.errorCode(refusal));
        };
      } catch (Told told) {
        return switch (String.valueOf(told.getMessage())) {
          case "lock_not_found" -> gone();
          case "not_lock_owner", "lock_lost" -> new Renewal.Lost("held by another", holder(lease.name()));
          default -> new Renewal.Failed(told.reply().message());
        };
      }
    };
  }

  private static Renewal.Lost gone() {
    return new Renewal.Lost("lock file is gone", null);
  }

  private @Nullable Lease holder(LeaseName name) {
    try {
      return look(name) instanceof Occupancy.Held held ? held.lease() : null;
    } catch (Told unreachable) {
      return null;
    }
  }

  @Override
  public ReleaseOutcome release(Lease lease, Locks.Result result) {
    try {
      return desk.release(lease.name(), lease.requestId(), lease.token(), result, null);
    } catch (Told told) {
      Lease holder = "not_lock_owner".equals(told.getMessage()) ? holder(lease.name()) : null;
      if (holder != null) {
        return new ReleaseOutcome.NotOwner(holder);
      }
      throw new IllegalStateException(told.reply().message(), told);
    }
  }

  @Override
  public String pathOf(LeaseName name) {
    return isRemote ? name.value() : desk.pathOf(name);
  }
}

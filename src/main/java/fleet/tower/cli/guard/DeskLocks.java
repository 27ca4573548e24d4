package fleet.tower.cli.guard;

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
  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, @Nullable Wait wait) {
    if (wait == null) {
      return new WaitOutcome.Answered<>(desk.acquire(request));
    }
    return desk.acquire(request, wait);
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
    return new Renewal.Lost("lock is gone", null);
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

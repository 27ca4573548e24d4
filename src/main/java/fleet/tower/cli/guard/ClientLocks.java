package fleet.tower.cli.guard;

import org.jspecify.annotations.Nullable;

import fleet.tower.cli.lock.LockClient;
import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.guard.GuardedLocks;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;

/**
 * The locks of guards at the desk where locks are asked for.
 *
 * @param isRemote whether a service keeps them
 */
record ClientLocks(LockClient desk, boolean isRemote) implements GuardedLocks {
  @Override
  public WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, @Nullable Wait wait) {
    if (wait == null) {
      return new WaitOutcome.Answered<>(desk.acquire(request));
    }
    return desk.acquire(request, wait);
  }

  @Override
  public LeaseState look(LeaseName name) {
    return desk.look(name).occupancy();
  }

  @Override
  public Renewal renewal(Lease lease) {
    return desk.renewal(lease);
  }

  private @Nullable Lease holder(LeaseName name) {
    try {
      return look(name) instanceof LeaseState.Held held ? held.lease() : null;
    } catch (RemoteRefusal unreachable) {
      return null;
    }
  }

  @Override
  public ReleaseOutcome release(Lease lease, Locks.Result result) {
    try {
      return desk.release(lease.name(), lease.owner(), lease.token(), result, null);
    } catch (RemoteRefusal told) {
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

package fleet.tower.guard;

import org.jspecify.annotations.Nullable;

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

/** Where the locks of guards are kept: the files of a home, or a service. */
public interface GuardedLocks {

  /** Asks for a lock, waiting for it if there is a {@code wait}. */
  WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, @Nullable Wait wait);

  LeaseState look(LeaseName name);

  /** How a heartbeat renews a lock that was acquired here. */
  Renewal renewal(Lease lease);

  ReleaseOutcome release(Lease lease, Locks.Result result);

  /** Where a human finds a lock. */
  String pathOf(LeaseName name);
}

package fleet.tower.operation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;

import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.HeartbeatCounts;
import fleet.tower.lease.keepalive.RenewalLag;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.ForceReleaseOutcome;
import fleet.tower.lock.FreezeState;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;
import fleet.tower.lock.LockView;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.RenewOutcome;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;

/** The outcome of a call about locks or freezes. */
public sealed interface LockCallOutcome extends Outcome {

  /**
   * A request for a lock.
   *
   * @param limit how long it was willing to wait
   * @param isClosing whether its wait ended because the service is stopping
   */
  record Acquired(LeaseName name, WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome, Duration limit,
      boolean isClosing) implements LockCallOutcome {}

  /** A heartbeat of an owner. */
  record Renewed(LeaseName name, Owner by, RenewOutcome outcome) implements LockCallOutcome {}

  /** A release by the owner of the lock whose file or row is at {@code path}. */
  record Released(LeaseName name, String path, ReleaseOutcome outcome) implements LockCallOutcome {}

  /** A release regardless of the holder. */
  record ForceReleased(LeaseName name, String path, ForceReleaseOutcome outcome) implements LockCallOutcome {}

  /** The end of a wait; {@code isWithdrawn} is false if the request did not wait. */
  record Withdrawn(LeaseName name, RequestId by, boolean isWithdrawn) implements LockCallOutcome {}

  /** A lock with the requests that wait for it, and the heartbeats of one that this process holds for a run. */
  record Viewed(LockView view, int waiters, List<WaitingRequest> queue, Optional<HeartbeatCounts> heartbeats)
      implements
        LockCallOutcome {}

  /** A page of the locks in the order of their names, and the lateness of this process's heartbeats. */
  record Listed(Page page, Rows rows, RenewalLag lag) implements LockCallOutcome {}

  /** Passes the rows of a page, and one more if there is one, to a reader until it returns false. */
  @FunctionalInterface
  interface Rows {
    void read(Predicate<Placed<Row>> reader);
  }

  /** A lock in a list, and the number of requests that wait for it. */
  record Row(LockView view, int waiters) {}

  /** All freezes. */
  record Freezes(SortedMap<LeaseName, FreezeState> all) implements LockCallOutcome {}

  /** A freeze. */
  record Frozen(LeaseName name, FreezeOutcome outcome) implements LockCallOutcome {}

  /** The end of a freeze. */
  record Unfrozen(LeaseName name, UnfreezeOutcome outcome) implements LockCallOutcome {}
}

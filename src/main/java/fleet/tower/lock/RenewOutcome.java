package fleet.tower.lock;

import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.Owner;
import fleet.tower.platform.StorageException;

/** The outcome of a heartbeat. A failing disk is not an outcome but a {@link StorageException}, and no loss. */
public sealed interface RenewOutcome {

  /** Renewed for another ttl; {@code lateBySeconds} is how long the lock had been stale, 0 if it was not. */
  record Renewed(HeldLease lease, long lateBySeconds) implements RenewOutcome {}

  /** The lock no longer exists. It was not created again. */
  record Gone() implements RenewOutcome {}

  /** Another owner holds the lock, or the same request by a later grant. */
  record Taken(Lease by) implements RenewOutcome {}

  /** The lock is unreadable, or a client named the run that holds it; nothing was changed. */
  record Refused(Decision.Refusal refusal) implements RenewOutcome {}

  /** The outcome for a caller that does not hold a lease. */
  static RenewOutcome notHeld(Lease lease, Owner by) {
    return lease.isOfRunNamedBy(by) ? new Refused(Decision.OfRun.of(lease)) : new Taken(lease);
  }
}

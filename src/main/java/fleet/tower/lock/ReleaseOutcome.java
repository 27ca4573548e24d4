package fleet.tower.lock;

import java.time.Instant;

import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.Owner;

/** The outcome of releasing a lock. */
public sealed interface ReleaseOutcome {

  /** The lock was released. */
  record Released(Lease lease, Instant at) implements ReleaseOutcome {}

  /** There was no lock to release. */
  record Absent() implements ReleaseOutcome {}

  /** Another owner holds the lock; nothing was changed. */
  record NotOwner(Lease holder) implements ReleaseOutcome {}

  /** The lock is unreadable, or a client named the run that holds it; nothing was changed. */
  record Refused(Decision.Refusal refusal) implements ReleaseOutcome {}

  /** The owner's lock could not be removed. */
  record Failed(Lease lease, Instant at, String error) implements ReleaseOutcome {}

  /** The outcome for a caller that does not hold a lease. */
  static ReleaseOutcome notHeld(Lease lease, Owner by) {
    return lease.isOfRunNamedBy(by) ? new Refused(Decision.OfRun.of(lease)) : new NotOwner(lease);
  }
}

package fleet.tower.lock;

import java.time.Instant;

import fleet.tower.lease.Lease;

/** The outcome of removing a lock by force, with any holder and even if the lock is unreadable. */
public sealed interface ForceReleaseOutcome {

  /** The lock was removed. */
  record Removed(PreviousLock previous, Instant at) implements ForceReleaseOutcome {}

  /** The lock was left to its holder, which the request spares. */
  record Spared(Lease lease) implements ForceReleaseOutcome {}

  /** There was no lock. */
  record Absent() implements ForceReleaseOutcome {}

  /** The lock could not be removed. */
  record Failed(Instant at, String error) implements ForceReleaseOutcome {}
}

package fleet.tower.run.execute;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.HeldLocks;
import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.PreviousLock;
import fleet.tower.run.RunRefusal;

/** The outcome of taking the locks of a run. */
public sealed interface RunLocksOutcome {

  /**
   * The run holds all its locks.
   *
   * @param lease its own lock; null if its intent has none
   * @param previous the stale lock that it took; null if there was none
   * @param renewal what renews its own lock already; null if it did not wait for foreign locks
   */
  record Taken(@Nullable HeldLease lease, @Nullable PreviousLock previous, HeldLocks foreign,
      @Nullable LockRenewal renewal) implements RunLocksOutcome {}

  /** A refusal that can be seen before the run is recorded. */
  sealed interface Refusal extends RunLocksOutcome {}

  /** Its own lock is refused. */
  record OwnRefused(LeaseName lock, Decision.Refusal why) implements Refusal {}

  /** Another tool's lock blocks it. */
  record ForeignRefused(ForeignLock.Refusal why) implements Refusal {}

  /** Its own lock could not be read or written. */
  record Unavailable(LeaseName lock, String problem) implements Refusal {}

  /** It had all its locks, and may not begin: a halt covers it, or it would no longer do what its request names. */
  record NotBegun(RunRefusal why) implements RunLocksOutcome {}

  /** Its wait failed, or it may not wait. */
  record NotWaited(RunRefusal why) implements RunLocksOutcome {}

  /** Its wait was cancelled. */
  record Cancelled() implements RunLocksOutcome {}

  /** Another executor has taken the run over. */
  record PassedOn() implements RunLocksOutcome {}
}

package fleet.tower.foreign;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLockState.Occupant;

/** A foreign lock that is held by this program. */
public interface ForeignHold {

  /** Releases the lock if it is still this holder's; never another's. */
  ReleaseOutcome release();

  /** The outcome of a request to hold a foreign lock. */
  sealed interface Outcome {}

  /**
   * The lock is held.
   *
   * @param previous the dead holder whose lock was removed, or null
   *
   * @param already whether the claim held it before
   */
  record Granted(ForeignHold hold, @Nullable Occupant previous, boolean already) implements Outcome {}

  /** The lock is blocked. */
  record Refused(ForeignLockState.Blocking why) implements Outcome {}

  /** The outcome of a release. */
  sealed interface ReleaseOutcome {}

  /** The lock is released. */
  record Released() implements ReleaseOutcome {}

  /** The lock was already gone, removed by another program. */
  record Absent() implements ReleaseOutcome {}

  /** Another holder's lock is in its place, and was not touched. */
  record NotOurs(ForeignLockState now) implements ReleaseOutcome {}

  /** The lock is still there and must be removed by hand. */
  record Failed(String problem) implements ReleaseOutcome {}
}

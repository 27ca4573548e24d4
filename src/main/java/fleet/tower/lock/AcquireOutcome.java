package fleet.tower.lock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;

/** The answer to an {@link AcquireRequest}. */
public sealed interface AcquireOutcome {

  /** It is yours; {@code previous} tells whom it was taken from, if it was. */
  record Granted(HeldLease lease, @Nullable PreviousLock previous) implements AcquireOutcome {}

  /** It was yours already, and its heartbeat is fresh again. */
  record Kept(HeldLease lease) implements AcquireOutcome {}

  /** It is not yours, nothing was changed. */
  record Refused(Decision.Refusal refusal) implements AcquireOutcome {}

  /**
   * It was written, then the disk failed, so it was taken back and is not yours.
   *
   * @param previous whose stale lock is gone with it, if there was one
   * @param leftBehind taking it back failed as well: the lock stands there, nobody holds it, and it will go stale
   */
  record Undone(Lease lease, @Nullable PreviousLock previous, String error, boolean leftBehind)
      implements
        AcquireOutcome {}
}

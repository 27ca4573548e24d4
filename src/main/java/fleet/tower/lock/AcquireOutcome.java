package fleet.tower.lock;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;

/** The answer to an {@link AcquireRequest}. */
public sealed interface AcquireOutcome {

  /** The lock was granted; {@code previous} is the stale lock that was stolen, if any. */
  record Granted(HeldLease lease, @Nullable PreviousLock previous) implements AcquireOutcome {}

  /** The owner held the lock already; it was renewed. */
  record Kept(HeldLease lease) implements AcquireOutcome {}

  /** The lock was refused; nothing was changed. */
  record Refused(Decision.Refusal refusal) implements AcquireOutcome {}

  /**
   * The lock was written, but then the disk failed or a halt covered it, so the write was undone; the lock is not
   * granted.
   *
   * @param previous the stale lock that was lost with it, if there was one
   * @param leftBehind whether undoing the write failed too: then the lock exists without a holder and will go stale
   * @param halted the halt that covered it; null for none
   */
  record Undone(Lease lease, @Nullable PreviousLock previous, String error, boolean leftBehind,
      Decision.@Nullable Halted halted) implements AcquireOutcome {
    /** After a failure. */
    public Undone(Lease lease, @Nullable PreviousLock previous, String error, boolean leftBehind) {
      this(lease, previous, error, leftBehind, null);
    }

    /** The refusal of a request that a halt has overtaken; null if something failed. */
    @Nullable
    Refused refusal() {
      return halted == null || leftBehind ? null : new Refused(halted);
    }
  }
}

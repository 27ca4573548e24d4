package fleet.tower.lease;

/**
 * A lease with the deadline after which its holder must no longer rely on it, on a clock that includes suspended
 * time.
 *
 * @param deadlineNanos the time <em>before</em> the lease was written, plus its ttl, so that the holder stops no
 *     later than another one may take over
 */
public record HeldLease(Lease lease, long deadlineNanos) {
  /** A lease whose write started at {@code stampNanos}. */
  public static HeldLease since(long stampNanos, Lease lease) {
    return new HeldLease(lease, stampNanos + lease.ttl().duration().toNanos());
  }

  /** Whether the holder may rely on the lease without asking the store. */
  public boolean isTrustedAt(long nowNanos) {
    return nowNanos - deadlineNanos <= 0;
  }
}

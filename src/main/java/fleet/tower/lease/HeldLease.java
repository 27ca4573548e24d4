package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

/**
 * A lease as its holder knows it: with the moment after which the holder must no longer believe in it, on the clock that
 * counts suspend.
 *
 * @param deadlineNanos a stamp taken <em>before</em> the lease was written, plus its ttl; so the holder gives up no later
 *     than anybody else may take over
 */
public record HeldLease(Lease lease, long deadlineNanos) {
  public HeldLease {
    requireNonNull(lease);
  }

  /** A tenure of a lease whose writing began at {@code stampNanos}. */
  public static HeldLease since(long stampNanos, Lease lease) {
    return new HeldLease(lease, stampNanos + lease.ttl().duration().toNanos());
  }

  /** Whether the holder may still act on it without asking again. */
  public boolean isTrustedAt(long nowNanos) {
    return nowNanos - deadlineNanos <= 0;
  }
}

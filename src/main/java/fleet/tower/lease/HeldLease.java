package fleet.tower.lease;

import java.time.Duration;
import java.time.Instant;

/**
 * A lease with the deadline after which its holder must no longer rely on it, on a clock that includes suspended time.
 *
 * @param deadlineNanos the time <em>before</em> the lease was written, plus its ttl, so that the holder stops no
 *     later than another one may take over
 */
public record HeldLease(Lease lease, long deadlineNanos) implements LeaseTerm {
  /** A lease whose write started at {@code stampNanos}. */
  public static HeldLease since(long stampNanos, Lease lease) {
    return new HeldLease(lease, stampNanos + lease.ttl().duration().toNanos());
  }

  @Override
  public Duration ttl() {
    return lease.ttl().duration();
  }

  @Override
  public Instant lastHeartbeatAt() {
    return lease.lastHeartbeatAt();
  }
}

package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;

/**
 * A lease and its deadline as the holder knows them.
 *
 * @param deadlineNanos a stamp taken <em>before</em> the lease was written, plus its ttl; so the holder gives up no later
 *     than anybody else may take over
 */
public record HeldLease(Lease lease, long deadlineNanos) implements LeaseTerm {
  public HeldLease {
    requireNonNull(lease);
  }

  /** A lease whose writing began at {@code stampNanos}. */
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

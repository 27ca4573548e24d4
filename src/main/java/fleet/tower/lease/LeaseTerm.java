package fleet.tower.lease;

import java.time.Duration;
import java.time.Instant;

/** The term of a lease as its holder knows it, whatever is leased: a lock, a claim on a task or a message. */
public interface LeaseTerm {
  /** How long the lease lasts after each renewal. */
  Duration ttl();

  /** The last renewal, by the clock of the place where the lease is kept. */
  Instant lastHeartbeatAt();

  /** The moment after which the holder must no longer rely on the lease, on the clock that includes suspended time. */
  long deadlineNanos();

  /** Whether the holder may still act on the lease without asking again. */
  default boolean isTrustedAt(long nowNanos) {
    return nowNanos - deadlineNanos() <= 0;
  }

  /** A term without the lease that it belongs to. */
  record Of(Duration ttl, Instant lastHeartbeatAt, long deadlineNanos) implements LeaseTerm {}
}

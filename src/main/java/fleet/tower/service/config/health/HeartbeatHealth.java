package fleet.tower.service.config.health;

import java.time.Duration;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

import fleet.tower.lease.keepalive.RenewalLag;

/**
 * The health of lock renewals: whether they are on time. If they are late, more runs would make it worse. The number of
 * failing renewals is only a detail: one unwritable lock implies nothing about the others, and a store that fails
 * altogether is found by {@code lockDirectory} or {@code database}.
 */
@Component("heartbeats")
final class HeartbeatHealth implements HealthIndicator {
  /** A lateness that costs live holders locks with a ttl of seconds, but that a merely busy machine does not reach. */
  static final Duration TOO_LATE = Duration.ofSeconds(10);

  private final RenewalLag punctuality;

  HeartbeatHealth(RenewalLag punctuality) {
    this.punctuality = punctuality;
  }

  @Override
  public Health health() {
    Duration lag = punctuality.lag();
    Health.Builder health = lag.compareTo(TOO_LATE) < 0
        ? Health.up()
        : Health.outOfService().withDetail("late_seconds", lag.toSeconds());
    return health.withDetail("failing", punctuality.failing()).build();
  }
}

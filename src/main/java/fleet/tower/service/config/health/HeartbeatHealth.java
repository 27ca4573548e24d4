package fleet.tower.service.config.health;

import java.time.Duration;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

import fleet.tower.lease.keepalive.RenewalLag;

/**
 * Whether the locks of this service's runs are renewed when they should be. Where they are late, more runs would make it worse. How
 * many fail is a detail only: one lock that cannot be written says nothing about the others, and a place where none can be
 * written is found by {@code lockDirectory} or {@code database}.
 */
@Component("heartbeats")
final class HeartbeatHealth implements HealthIndicator {
  /** What takes locks with a ttl of seconds from those who are alive, and what a machine that is merely busy does not reach. */
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

package fleet.tower.service.config.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

import fleet.tower.access.Access;

/**
 * Whether the tokens are as their file says. The service goes on with those that were good last, so it stays ready; what is wrong
 * is for the log and the doctor, because everybody may ask this.
 */
@Component("tokens")
final class AccessHealth implements HealthIndicator {
  private final Access access;

  AccessHealth(Access access) {
    this.access = access;
  }

  @Override
  public Health health() {
    return access.complaints().isEmpty()
        ? Health.up().build()
        : Health.up().withDetail("problem", "config/tokens.yaml is not as it should be; see `tower doctor`").build();
  }
}

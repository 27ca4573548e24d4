package fleet.tower.service.config.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

import fleet.tower.access.Access;

/**
 * The health of the token file. If the file is invalid, the service continues with the last valid version and stays
 * ready; details go to the log and to the doctor only, because anyone may call the health endpoint.
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
        : Health.up().withDetail("problem", "config/tokens.yaml is invalid; see `tower doctor`").build();
  }
}

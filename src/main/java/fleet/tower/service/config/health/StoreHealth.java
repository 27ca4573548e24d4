package fleet.tower.service.config.health;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import fleet.tower.home.Home;

/** Where the locks of the home are. A service that would use another store does not start. */
final class StoreHealth implements HealthIndicator {
  private final Home home;

  StoreHealth(Home home) {
    this.home = home;
  }

  /** Without the address of a database, which health does not show. */
  @Override
  public Health health() {
    return Health.up().withDetail("locks", home.upkeep().hasSharedLocks() ? "database" : "files").build();
  }
}

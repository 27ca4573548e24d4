package fleet.tower.service.config.health;

import java.util.function.Function;
import java.util.function.Supplier;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import fleet.tower.operation.HomeOperations;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.TimeLimited;
import fleet.tower.run.members.HostDifferences;
import fleet.tower.run.members.Hosts;

/**
 * Details about the intents and policies in which hosts differ. The service is ready nevertheless, because each host has
 * its own.
 */
final class IntentsHealth implements HealthIndicator {
  private final Hosts hosts;
  private final TimeLimited<Health> question;

  IntentsHealth(Hosts hosts, Function<Supplier<Health>, TimeLimited<Health>> bounds) {
    this.hosts = hosts;
    this.question = bounds.apply(this::look);
  }

  @Override
  public Health health() {
    return question.get().orElseGet(() -> Health.up().build());
  }

  private Health look() {
    try {
      HostDifferences differences = hosts.differences();
      int differing = differences.intents().size();
      boolean isOfPolicies = differences.isOfPolicies();
      return differing == 0 && !isOfPolicies
          ? Health.up().build()
          : Health.up().withDetail("warning", "hosts have different " + (differing == 0
              ? "policies"
              : isOfPolicies ? "intents and policies" : "intents") + "; see " + HomeOperations.HOSTS.call())
              .withDetail("intents_differing", differing).withDetail("policies_differ", isOfPolicies).build();
    } catch (StorageException away) {
      // The check of the database reports it.
      return Health.up().build();
    }
  }
}

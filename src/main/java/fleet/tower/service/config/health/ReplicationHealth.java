package fleet.tower.service.config.health;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import fleet.tower.lock.Replication;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.text.Console;
import fleet.tower.platform.time.TimeLimited;

/**
 * The health of replication: whether a standby that takes over would have every lock. If not, the service is degraded
 * but ready, because another service could do no better with the same database. The database itself has its own check.
 */
final class ReplicationHealth implements HealthIndicator {
  private final Supplier<Replication> replication;
  private final Console console;
  private final TimeLimited<Health> question;
  private final AtomicReference<Replication> reported = new AtomicReference<>(Replication.NONE);

  ReplicationHealth(Supplier<Replication> replication, Console console,
      Function<Supplier<Health>, TimeLimited<Health>> bounds) {
    this.replication = replication;
    this.console = console;
    this.question = bounds.apply(this::look);
  }

  @Override
  public Health health() {
    return question.get().orElseGet(() -> Health.unknown().build());
  }

  private Health look() {
    try {
      Replication found = replication.get();
      report(found, reported.getAndSet(found));
      return switch (found) {
        case NONE, SYNCHRONOUS -> Health.up().build();
        case ASYNCHRONOUS ->
          Health.status(HealthConfiguration.DEGRADED).withDetail("problem", "asynchronous replication").build();
      };
    } catch (StorageException away) {
      return Health.unknown().build();
    }
  }

  private void report(Replication now, Replication before) {
    if (now != before && now == Replication.ASYNCHRONOUS) {
      console
          .words("tower: warning: degraded: asynchronous replication; a standby that takes over may not have the last"
              + " locks; set synchronous_standby_names on the server, or accept the risk described in docs/fleet.md");
    } else if (before == Replication.ASYNCHRONOUS && now != before) {
      console.words("tower: replication is " + (now == Replication.NONE
          ? "off: no standby follows the server"
          : "synchronous: every grant is on a standby"));
    }
  }
}

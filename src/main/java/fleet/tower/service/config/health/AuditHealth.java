package fleet.tower.service.config.health;

import java.util.function.Function;
import java.util.function.Supplier;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

import fleet.tower.audit.ObservedAuditLog;
import fleet.tower.platform.time.TimeLimited;

/** The health of the audit log: whether it is writable, and how many events were lost. Runs continue without it. */
final class AuditHealth implements HealthIndicator {
  private final ObservedAuditLog log;
  private final TimeLimited<Health> question;

  AuditHealth(ObservedAuditLog log, Function<Supplier<Health>, TimeLimited<Health>> bounds) {
    this.log = log;
    this.question = bounds.apply(this::examine);
  }

  @Override
  public Health health() {
    return question.get().orElseGet(() -> Health.down().withDetail("problem", "no answer in time").build());
  }

  private Health examine() {
    ObservedAuditLog.State state = log.examine();
    Health.Builder health = state.isFailing() ? Health.down().withDetail("problem", "audit log") : Health.up();
    return (state.lost() == 0 ? health : health.withDetail("lost_events", state.lost())).build();
  }
}

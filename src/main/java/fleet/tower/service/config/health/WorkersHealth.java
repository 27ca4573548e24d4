package fleet.tower.service.config.health;

import java.util.List;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

import fleet.tower.home.HomeRuns.QueueHandle;
import fleet.tower.mailbox.consumer.MailboxConsumers;

/** The health of the queue workers. A stuck worker keeps its run, so no new work should arrive here. */
@Component("workers")
final class WorkersHealth implements HealthIndicator {
  private final QueueHandle queue;

  WorkersHealth(QueueHandle queue) {
    this.queue = queue;
  }

  @Override
  public Health health() {
    List<String> stalled = queue.consumers().stalled().stream().map(MailboxConsumers.Stalled::toString).toList();
    return stalled.isEmpty() ? Health.up().build() : Health.outOfService().withDetail("stalled", stalled).build();
  }
}

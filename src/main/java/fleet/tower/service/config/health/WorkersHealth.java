package fleet.tower.service.config.health;

import java.util.List;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

import fleet.tower.home.RunQueueHandle;
import fleet.tower.mailbox.consumer.StalledConsumer;

/** Whether the workers that take runs from the queue get on. One that is stuck keeps what it has, so nothing new should come here. */
@Component("workers")
final class WorkersHealth implements HealthIndicator {
  private final RunQueueHandle queue;

  WorkersHealth(RunQueueHandle queue) {
    this.queue = queue;
  }

  @Override
  public Health health() {
    List<String> stalled = queue.consumers().stalled().stream().map(StalledConsumer::toString).toList();
    return stalled.isEmpty() ? Health.up().build() : Health.outOfService().withDetail("stalled", stalled).build();
  }
}

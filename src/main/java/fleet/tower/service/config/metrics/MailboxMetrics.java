package fleet.tower.service.config.metrics;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

import fleet.tower.mailbox.MailboxStore.Size;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeLimited;
import fleet.tower.platform.time.TimeSource;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;

/** Gauges of the largest mailboxes. Their rows are read at most once a minute, because all of them are. */
@Component
final class MailboxMetrics {
  private static final Duration FRESH = Duration.ofMinutes(1);

  private final TimeLimited<Optional<List<Size>>> sizes;

  MailboxMetrics(Mailboxes mailboxes, TimeSource time, Scheduler scheduler,
      ObjectProvider<PrometheusRegistry> prometheus) {
    this.sizes = new TimeLimited<>("tower-mailbox-sizes", () -> sizes(mailboxes), Gauges.LIMIT, FRESH, time, scheduler);
    prometheus.ifAvailable(registry -> {
      registry.register(largest("tower_mailbox_messages_largest",
          "Mailboxes with the most messages, dead letters included", Size::messages));
      registry.register(largest("tower_mailbox_bytes_largest", "Mailboxes whose messages have the most bytes",
          Size::bytes));
    });
  }

  private static Optional<List<Size>> sizes(Mailboxes mailboxes) {
    try {
      return Optional.of(mailboxes.sizes());
    } catch (StorageException e) {
      return Optional.empty();
    }
  }

  private Collector largest(String name, String help, ToLongFunction<Size> number) {
    return Largest.gauge(name, help, () -> sizes.get().flatMap(known -> known)
        .map(known -> points(known, number)).orElse(List.of(Largest.unnamed(Double.NaN))));
  }

  private static List<GaugeDataPointSnapshot> points(List<Size> sizes, ToLongFunction<Size> number) {
    return sizes.stream().sorted(Comparator.comparingLong(number).reversed().thenComparing(it -> it.mailbox().value()))
        .map(it -> Largest.point((double) number.applyAsLong(it), Labels.of("mailbox", it.mailbox().value()))).toList();
  }
}

package fleet.tower.service.config.metrics;

import java.util.List;
import java.util.function.Supplier;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;

/**
 * Gauges of the largest users, by name. A scrape names only a few of them, and Micrometer has no meters whose labels
 * change; so these are read from Prometheus' own registry.
 */
final class Largest {
  private static final int NAMED = 3;

  private Largest() {}

  /** @param users the largest first */
  static Collector gauge(String name, String help, Supplier<List<GaugeDataPointSnapshot>> users) {
    return () -> {
      List<GaugeDataPointSnapshot> points = users.get();
      return new GaugeSnapshot(new MetricMetadata(name, help), points.isEmpty()
          ? List.of(unnamed(0))
          : points.stream().limit(NAMED).toList());
    };
  }

  static GaugeDataPointSnapshot point(double value, Labels labels) {
    return new GaugeDataPointSnapshot(value, labels, null);
  }

  /** The only point of a gauge that has no user to name. */
  static GaugeDataPointSnapshot unnamed(double value) {
    return point(value, Labels.EMPTY);
  }
}

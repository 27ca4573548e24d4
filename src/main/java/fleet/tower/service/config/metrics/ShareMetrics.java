package fleet.tower.service.config.metrics;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

import fleet.tower.access.Places;
import fleet.tower.access.Role;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.run.submit.Runs;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;

/** Gauges of the places that callers have: by role, and of the largest holders by name. */
@Component
final class ShareMetrics implements MeterBinder {
  /** The label of what the service does by itself, such as its schedules. */
  private static final String OWN = "service";

  private static final List<@Nullable Role> REQUESTERS = Arrays.asList(Role.AGENT, Role.OPERATOR, null);

  private final WaitingCalls waits;
  private final Runs runs;

  ShareMetrics(WaitingCalls waits, Runs runs, ObjectProvider<PrometheusRegistry> prometheus) {
    this.waits = waits;
    this.runs = runs;
    prometheus.ifAvailable(registry -> {
      registry.register(largest("tower_waiting_calls_largest", "Callers with the most calls that wait or stream here",
          waits.places()));
      registry.register(largest("tower_requested_runs_largest", "Callers with the most runs that have not ended here",
          runs.places()));
    });
  }

  private static Collector largest(String name, String help, Places places) {
    return Largest.gauge(name, help, () -> places.holdings().stream().map(ShareMetrics::point).toList());
  }

  private static GaugeDataPointSnapshot point(Places.Holding holding) {
    Places.Holder holder = holding.holder();
    return Largest.point(holding.places(), Labels.of("name", holder.name(), "role", label(holder.role())));
  }

  private static String label(@Nullable Role role) {
    return role == null ? OWN : role.toString();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (Role role : Role.values()) {
      gauge(registry, "tower.waiting.calls", "Calls that wait or stream here, by the role of the caller",
          waits.places(),
          role);
    }
    for (Role role : REQUESTERS) {
      gauge(registry, "tower.requested.runs",
          "Runs that were requested here without the queue and have not ended, by the role of the caller",
          runs.places(), role);
    }
  }

  private static void gauge(MeterRegistry registry, String name, String description, Places places,
      @Nullable Role role) {
    Gauge.builder(name, places, it -> it.taken(role)).tag("role", label(role)).description(description)
        .register(registry);
  }
}

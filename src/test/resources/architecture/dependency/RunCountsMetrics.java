package fleet.tower.run.submit;

import io.micrometer.core.instrument.MeterRegistry;

interface RunCountsMetrics {
  MeterRegistry registry();
}

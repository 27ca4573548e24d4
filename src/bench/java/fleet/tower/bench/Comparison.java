package fleet.tower.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import fleet.tower.performance.Measure;
import fleet.tower.performance.Median;
import fleet.tower.performance.Report;

/**
 * Two operations measured alternately, A B A B …, so that a drift in the machine's speed affects both alike. The result
 * is the median of the ratios of neighbours.
 */
final class Comparison {
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final List<Double> ours = new ArrayList<>();
  private final List<Double> baseline = new ArrayList<>();
  private final List<Double> ratios = new ArrayList<>();

  /** An operation to be done {@code times} times. */
  interface Work {
    void run(int times) throws Exception;
  }

  /** Measures the time of one of so many operations in so many rounds, after a warm-up. */
  static Comparison of(int rounds, int times, Work ours, Work baseline) throws Exception {
    warmUp(times, ours);
    warmUp(times, baseline);
    Comparison comparison = new Comparison();
    for (int round = 0; round < rounds; round++) {
      comparison.add(nanos(times, ours), nanos(times, baseline));
    }
    return comparison;
  }

  /** Adds a value, and the one of the baseline that was measured next to it. */
  void add(double one, double other) {
    ours.add(one);
    baseline.add(other);
    ratios.add(one / other);
  }

  /** Reports the medians. */
  void report(Report report, Measure measure) {
    report.add(measure, Median.of(ours), Median.of(baseline), Median.of(ratios));
  }

  /** How much more ours is, in the median. */
  double difference() {
    return Median.of(ours) - Median.of(baseline);
  }

  /** Until it runs as in a process that has done it for a while; at least once. */
  private static void warmUp(int times, Work work) throws Exception {
    long begun = System.nanoTime();
    do {
      work.run(times);
    } while (System.nanoTime() - begun < WARM_UP_NANOS);
  }

  /** The time of one of so many. */
  static double nanos(int times, Work work) throws Exception {
    long begun = System.nanoTime();
    work.run(times);
    return (System.nanoTime() - begun) / (double) times;
  }

  /** The value that so many percent of the values are below. */
  static double percentile(List<Double> values, int percent) {
    return values.stream().sorted().toList().get(values.size() * percent / 100);
  }
}

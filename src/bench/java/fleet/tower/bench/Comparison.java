package fleet.tower.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Two operations measured alternately, A B A B …, so that a drift in the machine's speed affects both alike. The result
 * is the median of the ratios of neighbours.
 */
record Comparison(String what, String ours, String other, double limit) {
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** An operation to be done {@code times} times. */
  interface Work {
    void run(int times) throws Exception;
  }

  /** Measures both and prints one line. */
  double measure(int rounds, int times, Work a, Work b) throws Exception {
    warmUp(times, a);
    warmUp(times, b);
    List<Double> ofA = new ArrayList<>();
    List<Double> ofB = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      double nanosA = nanosEach(times, a);
      double nanosB = nanosEach(times, b);
      ofA.add(nanosA);
      ofB.add(nanosB);
      ratios.add(nanosA / nanosB);
    }
    double ratio = median(ratios);
    print(median(ofA), median(ofB), ratio);
    return ratio;
  }

  /** Until it runs as in a process that has done it for a while; at least once. */
  private static void warmUp(int times, Work work) throws Exception {
    long begun = System.nanoTime();
    do {
      work.run(times);
    } while (System.nanoTime() - begun < WARM_UP_NANOS);
  }

  private static double nanosEach(int times, Work work) throws Exception {
    long begun = System.nanoTime();
    work.run(times);
    return (System.nanoTime() - begun) / (double) times;
  }

  private void print(double nanosA, double nanosB, double ratio) {
    System.out.printf(Locale.ROOT, "%-36s %9.1f µs  %-26s %9.1f µs  %-30s ratio %5.2f  limit %4.2f  %s%n", what,
        nanosA / 1000, ours, nanosB / 1000, other, ratio, limit, ratio <= limit ? "ok" : "OVER");
  }

  static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }
}

package fleet.tower.bench;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;

/** A benchmark of a hand-over: from the start of a release to the acquisition by the next waiter. */
final class HandoverBench {
  private static final int HOLDS = 1200;

  private final Path base;

  HandoverBench(Path base) {
    this.base = base;
  }

  void run(Report report) throws Exception {
    report(report, Measure.HANDOVER_THREADS, Measure.HANDOVER_THREADS_P95, handovers(1, 4));
    report(report, Measure.HANDOVER_2, Measure.HANDOVER_2_P95, handovers(2, 1));
    report(report, Measure.HANDOVER_4, Measure.HANDOVER_4_P95, handovers(4, 1));
  }

  private static void report(Report report, Measure p50, Measure p95, List<Double> nanos) {
    report.add(p50, Comparison.percentile(nanos, 50));
    report.add(p95, Comparison.percentile(nanos, 95));
  }

  private record Hold(long entered, long left) {}

  private List<Double> handovers(int processes, int threads) throws Exception {
    Path home = Files.createTempDirectory(base, "home");
    List<Process> running = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      running.add(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
          "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dslf4j.internal.verbosity=ERROR",
          "--enable-native-access=ALL-UNNAMED", "-cp",
          System.getProperty("java.class.path"),
          HandoverMain.class.getName(),
          home.toString(), Integer.toString(threads), Integer.toString(HOLDS / processes / threads))
          .redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }
    List<Hold> holds = new ArrayList<>();
    for (Process process : running) {
      process.inputReader().lines().map(line -> line.split(" ", -1))
          .forEach(words -> holds.add(new Hold(Long.parseLong(words[0]), Long.parseLong(words[1]))));
      LockBench.expect(process.waitFor() == 0);
    }
    LockBench.expect(holds.size() == HOLDS);
    holds.sort(Comparator.comparingLong(Hold::entered));
    List<Double> nanos = new ArrayList<>();
    // The first third warms up; at the end there are too few left to hand it over to.
    for (int i = HOLDS / 3; i < HOLDS * 9 / 10; i++) {
      nanos.add((double) (holds.get(i).entered() - holds.get(i - 1).left()));
    }
    LockBench.expect(nanos.stream().allMatch(gap -> gap > 0));
    return nanos;
  }
}

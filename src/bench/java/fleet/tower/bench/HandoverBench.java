package fleet.tower.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import fleet.tower.lease.FencingToken;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockStore;

/** A benchmark of a hand-over: from the start of a release to the acquisition by the next waiter. */
final class HandoverBench {
  private static final int HOLDS = 1200;
  private static final int FLOOR_ROUNDS = 300;
  private static final double LIMIT_MILLIS = 5;

  private final LockBench bench;
  private final Path base;

  HandoverBench(LockBench bench, Path base) {
    this.bench = bench;
    this.base = base;
  }

  void run() throws Exception {
    measure("hand-over between 4 threads", 1, 4);
    measure("hand-over between 2 processes", 2, 1);
    measure("hand-over between 4 processes", 4, 1);
  }

  /** The cost of a release and the next acquire in one thread: the lower bound of a hand-over. */
  private double floorMillis(Path home) {
    List<Double> millis = new ArrayList<>();
    try (LockStore store = bench.open(home.resolve("floor"))) {
      AcquireRequest request = LockBench.request("floor", "owner");
      LockBench.expect(store.acquire(request) instanceof AcquireOutcome.Granted);
      for (int i = 0; i < FLOOR_ROUNDS; i++) {
        long begun = System.nanoTime();
        store.release(request.name(), request.owner(), FencingToken.NONE);
        LockBench.expect(store.acquire(request) instanceof AcquireOutcome.Granted);
        millis.add((System.nanoTime() - begun) / 1e6);
      }
    }
    return Comparison.median(millis);
  }

  private record Hold(long entered, long left) {}

  private void measure(String what, int processes, int threads) throws Exception {
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
    List<Double> millis = new ArrayList<>();
    // The first third warms up; at the end there are too few left to hand it over to.
    for (int i = HOLDS / 3; i < HOLDS * 9 / 10; i++) {
      millis.add((holds.get(i).entered() - holds.get(i - 1).left()) / 1e6);
    }
    LockBench.expect(millis.stream().allMatch(gap -> gap > 0));
    double median = Comparison.median(millis);
    System.out.printf(Locale.ROOT, "%-36s %9.2f ms p50, %.2f ms p95, %.2f ms without waiting  limit %.0f ms p50  %s%n",
        what, median, millis.stream().sorted().toList().get(millis.size() * 95 / 100), floorMillis(home), LIMIT_MILLIS,
        median <= LIMIT_MILLIS ? "ok" : "OVER");
  }
}

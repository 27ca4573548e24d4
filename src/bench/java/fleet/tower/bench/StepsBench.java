package fleet.tower.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.platform.time.system.SystemTime;
import fleet.tower.run.Processes;
import fleet.tower.run.process.StepProcesses;

/** A benchmark of an empty step against a bare empty process. */
final class StepsBench {
  private final Path base;

  StepsBench(Path base) {
    this.base = base;
  }

  void run() throws Exception {
    try (Processes processes = new StepProcesses(base, base.resolve("runs"), SystemTime.source(),
        SystemTime.scheduler(), StepProcesses.DEFAULT_GRACE, 1L << 30, DiskReserve.NONE, System.err::println).open()) {
      compare(processes, 1, 100);
      compare(processes, 8, 25);
    }
  }

  private static void compare(Processes processes, int threads, int times) throws Exception {
    new Comparison("step `true`, " + threads + (threads == 1 ? " thread" : " threads"), "start to exit, supervised",
        "ProcessBuilder + waitFor, bare", 1.0).measure(15, times, each(threads, () -> step(processes)),
            each(threads, StepsBench::bare));
  }

  private static void step(Processes processes) {
    Processes.Command command = new Processes.Command(new RequestId("bench"), "true", List.of("true"), Map.of(),
        Secrets.NONE);
    processes.start(command, exit -> LockBench.expect(exit.equals(new Processes.Exited(0)))).await();
  }

  private static void bare() throws IOException, InterruptedException {
    LockBench.expect(new ProcessBuilder("true").start().waitFor() == 0);
  }

  /** One operation. */
  private interface One {
    void run() throws IOException, InterruptedException;
  }

  private static Comparison.Work each(int threads, One one) {
    return times -> {
      try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
        List<Future<?>> shares = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
          shares.add(pool.submit(() -> {
            for (int i = 0; i < times; i++) {
              one.run();
            }
            return null;
          }));
        }
        for (Future<?> share : shares) {
          share.get();
        }
      }
    };
  }
}

package fleet.tower.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import fleet.tower.lease.RequestId;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.secret.Secrets;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.run.Processes;
import fleet.tower.run.process.StepProcesses;

/** A benchmark of an empty step against a bare empty process. */
final class StepsBench {
  private final Path base;

  StepsBench(Path base) {
    this.base = base;
  }

  void run(Report report) throws Exception {
    try (Processes processes = new StepProcesses(base, base.resolve("runs"), SystemTime.source(),
        SystemTime.scheduler(), StepProcesses.DEFAULT_GRACE, 1L << 30, DiskReserve.NONE, System.err::println).open()) {
      compare(processes, 1, 100).report(report, Measure.STEP);
      compare(processes, 8, 25).report(report, Measure.STEP_8);
    }
  }

  private static Comparison compare(Processes processes, int threads, int times) throws Exception {
    return Comparison.of(15, times, Clients.each(threads, _ -> step(processes)), Clients.each(threads, _ -> bare()));
  }

  private static void step(Processes processes) {
    Processes.Command command = new Processes.Command(new RequestId("bench"), "true", List.of("true"), Map.of(),
        Secrets.NONE);
    processes.start(command, exit -> LockBench.expect(exit.equals(new Processes.Exited(0)))).await();
  }

  private static void bare() throws IOException, InterruptedException {
    LockBench.expect(new ProcessBuilder("true").start().waitFor() == 0);
  }
}

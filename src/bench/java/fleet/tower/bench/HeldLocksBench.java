package fleet.tower.bench;

import java.nio.file.Path;

import fleet.tower.lock.LockStore;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.time.SystemTime;

/** A benchmark of many held locks in files. */
final class HeldLocksBench {
  private final Path directory;

  HeldLocksBench(Path directory) {
    this.directory = directory;
  }

  void run(Report report) throws Exception {
    try (LockStore store = LockBench.open(directory);
        KeptLocks kept = new KeptLocks(BenchLocks.of(store, _ -> true, SystemTime.source()))) {
      // The first heartbeat of a lock creates the file that the later ones write over.
      SystemTime.scheduler().pause(KeptLocks.INTERVAL);
      report.add(Measure.HELD_CORE, kept.cost(() -> 0).core());
    }
  }
}

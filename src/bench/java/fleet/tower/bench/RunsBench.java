package fleet.tower.bench;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.run.RunStore;
import fleet.tower.run.Runs;
import fleet.tower.run.sql.SqlRuns;

/** A benchmark of runs in SQLite against the minimal two statements of a stored run, each with its own commit. */
final class RunsBench {
  private static final Instant NOON = Runs.NOON;

  private final Path base;
  private final AtomicLong kept = new AtomicLong();
  private final AtomicLong keptBare = new AtomicLong();
  private final ReentrantLock bareLock = new ReentrantLock(true);

  RunsBench(Path base) {
    this.base = base;
  }

  void run(Report report) throws Exception {
    Path bareFile = Files.createDirectories(base.resolve("bare-runs")).resolve("bare.db");
    try (RunStore store = new SqlRuns("jdbc:sqlite:" + base.resolve("runs/tower.db")).open();
        Connection bare = DriverManager
            .getConnection("jdbc:sqlite:" + bareFile + "?journal_mode=WAL&synchronous=FULL")) {
      try (Statement statement = bare.createStatement()) {
        statement.execute("CREATE TABLE runs (id TEXT PRIMARY KEY, at BIGINT, document TEXT)");
      }
      records(store, bare, 1).report(report, Measure.RECORD);
      records(store, bare, 8).report(report, Measure.RECORD_8);
      look(store, report);
    }
  }

  private Comparison records(RunStore store, Connection bare, int threads) throws Exception {
    return Comparison.of(11, 400, Clients.shared(threads, _ -> keep(store)),
        Clients.shared(threads, _ -> keepBare(bare)));
  }

  private void keep(RunStore store) {
    String id = "r" + kept.incrementAndGet();
    LockBench.expect(store.begin(Runs.claim(id, "key-" + id), Runs.waiting(id), "bench") instanceof RunStore.New);
    store.save(Runs.succeeded(Runs.waiting(id)), true);
  }

  private void keepBare(Connection bare) throws SQLException {
    String id = "r" + keptBare.incrementAndGet();
    String document = "x".repeat(600);
    bareLock.lock();
    try (PreparedStatement insert = bare.prepareStatement("INSERT INTO runs VALUES (?, ?, ?)")) {
      insert.setString(1, id);
      insert.setLong(2, NOON.toEpochMilli());
      insert.setString(3, document);
      LockBench.expect(insert.executeUpdate() == 1);
    } finally {
      bareLock.unlock();
    }
    bareLock.lock();
    try (PreparedStatement update = bare.prepareStatement("UPDATE runs SET at = 1, document = ? WHERE id = ?")) {
      update.setString(1, document);
      update.setString(2, id);
      LockBench.expect(update.executeUpdate() == 1);
    } finally {
      bareLock.unlock();
    }
  }

  /** Half of the requests are known, half are not. */
  private void look(RunStore store, Report report) {
    List<Double> nanos = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      String id = i % 2 == 0 ? "r" + (i % 1000 + 1) : "unknown-" + i;
      long begun = System.nanoTime();
      LockBench.expect(store.look(Runs.claim(id, "key-" + id)) instanceof RunStore.Same == (i % 2 == 0));
      nanos.add((double) (System.nanoTime() - begun));
    }
    List<Double> warm = nanos.subList(5000, nanos.size());
    report.add(Measure.LOOK, Comparison.percentile(warm, 50));
    report.add(Measure.LOOK_P99, Comparison.percentile(warm, 99));
  }
}

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
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

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

  void run() throws Exception {
    Path bareFile = Files.createDirectories(base.resolve("bare-runs")).resolve("bare.db");
    try (RunStore store = new SqlRuns("jdbc:sqlite:" + base.resolve("runs/tower.db")).open();
        Connection bare = DriverManager
            .getConnection("jdbc:sqlite:" + bareFile + "?journal_mode=WAL&synchronous=FULL")) {
      try (Statement statement = bare.createStatement()) {
        statement.execute("CREATE TABLE runs (id TEXT PRIMARY KEY, at BIGINT, document TEXT)");
      }
      for (int threads : List.of(1, 8)) {
        new Comparison("begin + durable save, " + threads + (threads == 1 ? " thread" : " threads"), "a run",
            "insert + update, bare", threads == 1 ? 2 : 0.75).measure(11, 400, each(threads, () -> keep(store)),
                each(threads, () -> keepBare(bare)));
      }
      look(store);
    }
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
  private void look(RunStore store) {
    List<Double> micros = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      String id = i % 2 == 0 ? "r" + (i % 1000 + 1) : "unknown-" + i;
      long begun = System.nanoTime();
      LockBench.expect(store.look(Runs.claim(id, "key-" + id)) instanceof RunStore.Same == (i % 2 == 0));
      micros.add((System.nanoTime() - begun) / 1000.0);
    }
    List<Double> sorted = micros.subList(5000, micros.size()).stream().sorted().toList();
    System.out.printf(Locale.ROOT, "%-36s p50 %.1f µs, p99 %.1f µs%n", "look for a prior request",
        sorted.get(sorted.size() / 2), sorted.get(sorted.size() * 99 / 100));
  }

  /** One operation. */
  private interface Piece {
    void run() throws SQLException;
  }

  /** So many operations in all, shared by the threads. */
  private static Comparison.Work each(int threads, Piece piece) {
    return times -> {
      try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
        List<Future<?>> shares = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
          shares.add(pool.submit(() -> {
            for (int i = 0; i < times / threads; i++) {
              piece.run();
            }
            return null;
          }));
        }
        for (Future<?> one : shares) {
          one.get();
        }
      }
    };
  }
}

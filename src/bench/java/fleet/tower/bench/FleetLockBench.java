package fleet.tower.bench;

import java.util.ArrayList;
import java.util.List;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.sql.SqlLocks;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;

/**
 * A benchmark of locks in PostgreSQL: acquire and release beside the bare statements, and many held locks that are
 * renewed in batches.
 */
final class FleetLockBench {
  private static final int ROUNDS = 9;
  /** The size of the product's connection pool for locks. */
  private static final int CONNECTIONS = 16;

  void run(Report report) throws Exception {
    acquireAndRelease(1, 300).report(report, Measure.FLEET_LOCK);
    acquireAndRelease(8, 1600).report(report, Measure.FLEET_LOCK_8);
    acquireAndRelease(64, 1600).report(report, Measure.FLEET_LOCK_64);
    held(report);
  }

  /** Every client has its own lock. */
  private static Comparison acquireAndRelease(int clients, int times) throws Exception {
    try (LockStore store = open(PostgresServer.newDatabase());
        BareLocks bareLocks = new BareLocks(PostgresServer.newDatabase(), Math.min(clients, CONNECTIONS))) {
      List<AcquireRequest> requests = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        requests.add(LockBench.request("name-" + i, "owner"));
      }
      return Comparison.of(ROUNDS, times, Clients.shared(clients, client -> hold(store, requests.get(client))),
          Clients.shared(clients, client -> bareLocks.release(requests.get(client),
              bareLocks.acquire(requests.get(client)))));
    }
  }

  private static void hold(LockStore store, AcquireRequest request) {
    if (!(store.acquire(request) instanceof AcquireOutcome.Granted(HeldLease held, var _))) {
      throw new IllegalStateException("the lock was not granted");
    }
    LockBench.expect(store.release(request.name(), request.owner(),
        held.lease().token()) instanceof ReleaseOutcome.Released);
  }

  private static void held(Report report) throws Exception {
    String url = PostgresServer.newDatabase();
    try (LockStore store = open(url);
        KeptLocks kept = new KeptLocks(BenchLocks.of(store, _ -> true, SystemTime.source()))) {
      KeptLocks.Cost cost = kept.cost(() -> statements(url));
      report.add(Measure.FLEET_HELD_CORE, cost.core());
      report.add(Measure.FLEET_HELD_STATEMENTS, cost.counted());
      report.add(Measure.FLEET_HELD_LATE, kept.latest().toNanos());
    }
  }

  /** Each is a transaction of its own. */
  private static long statements(String url) {
    return Long.parseLong(new DirectTables(url)
        .look("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").getFirst());
  }

  private static LockStore open(String url) {
    return new SqlLocks(Database.at(url), SystemTime.source(), SystemTime.scheduler(),
        RenewalSchedule.DEFAULT_MAX_INTERVAL).open();
  }
}

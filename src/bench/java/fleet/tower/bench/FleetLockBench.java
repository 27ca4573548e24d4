package fleet.tower.bench;

import static fleet.tower.lease.Actors.ACTOR;

import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import com.sun.management.OperatingSystemMXBean;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.ReleaseOutcome;
import fleet.tower.lock.sql.SqlLocks;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.system.SystemTime;

/**
 * A benchmark of locks in PostgreSQL: acquire and release beside the bare statements, and many held locks that are
 * renewed in batches.
 */
final class FleetLockBench {
  private static final int ROUNDS = 9;
  /** The size of the product's connection pool for locks. */
  private static final int CONNECTIONS = 16;
  private static final int HELD = 10_000;
  private static final int WINDOWS = 2;
  private static final int MOST_STATEMENTS = 20;

  /** Acquires and releases its own lock. */
  private interface Client {
    void pass() throws SQLException, InterruptedException;
  }

  void run() throws Exception {
    for (int clients : List.of(1, 8, 64)) {
      acquireAndRelease(clients, clients == 1 ? 300 : 1600);
    }
    held();
  }

  private void acquireAndRelease(int clients, int times) throws Exception {
    try (LockStore store = open(PostgresServer.newDatabase());
        BareLocks bareLocks = new BareLocks(PostgresServer.newDatabase(), Math.min(clients, CONNECTIONS))) {
      List<Client> ours = new ArrayList<>();
      List<Client> bare = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        AcquireRequest request = LockBench.request("name-" + i, "owner");
        ours.add(() -> hold(store, request));
        bare.add(() -> bareLocks.release(request, bareLocks.acquire(request)));
      }
      double ratio = new Comparison(
          "acquire + release, PostgreSQL, " + clients + (clients == 1 ? " client" : " clients"),
          "a lock", "two bare statements", 1.5).measure(ROUNDS, times, n -> all(ours, n), n -> all(bare, n));
      LockBench.expect(ratio > 0);
    }
  }

  private static void hold(LockStore store, AcquireRequest request) {
    if (!(store.acquire(request) instanceof AcquireOutcome.Granted(HeldLease held, var _))) {
      throw new IllegalStateException("the lock was not granted");
    }
    LockBench.expect(store.release(request.name(), request.owner(),
        held.lease().token()) instanceof ReleaseOutcome.Released);
  }

  private static void all(List<Client> clients, int times) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(clients.size())) {
      List<Future<?>> shares = new ArrayList<>();
      for (Client client : clients) {
        shares.add(pool.submit(() -> {
          for (int i = 0; i < times / clients.size(); i++) {
            client.pass();
          }
          return null;
        }));
      }
      for (Future<?> one : shares) {
        one.get();
      }
    }
  }

  private void held() throws Exception {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Duration interval = RenewalSchedule.DEFAULT_MAX_INTERVAL;
    String url = PostgresServer.newDatabase();
    AtomicLong beats = new AtomicLong();
    try (LockStore store = open(url)) {
      Locks locks = BenchLocks.of(store, _ -> true, SystemTime.source());
      List<HeldLease> leases = acquired(locks);
      LeaseRenewers heartbeats = new LeaseRenewers(SystemTime.source(), SystemTime.scheduler(),
          interval);
      List<LeaseRenewer> kept = new ArrayList<>();
      for (HeldLease held : leases) {
        kept.add(heartbeats.keep(held, counting(locks.renewal(ACTOR, held.lease()), beats), _ -> {}));
        SystemTime.scheduler().pause(Duration.ofNanos(interval.toNanos() / HELD));
      }
      long cpuBefore = system.getProcessCpuTime();
      long statementsBefore = statements(url);
      long beatsBefore = beats.get();
      SystemTime.scheduler().pause(interval.multipliedBy(WINDOWS));
      double seconds = interval.toSeconds() * (double) WINDOWS;
      double each = (statements(url) - statementsBefore) / seconds;
      double cpu = (system.getProcessCpuTime() - cpuBefore) / 1e9 / seconds;
      long renewed = beats.get() - beatsBefore;
      kept.forEach(LeaseRenewer::stop);
      System.out.printf(Locale.ROOT,
          "%-36s %9.1f statements/s, %d renewals in %.0f s, latest %d ms late, %.1f %% of one core  limit %d  %s%n",
          HELD + " held locks, PostgreSQL", each, renewed, seconds, heartbeats.lag().worst().toMillis(),
          cpu * 100, MOST_STATEMENTS, each <= MOST_STATEMENTS ? "ok" : "OVER");
      LockBench.expect(renewed > HELD * WINDOWS * 0.95);
    }
  }

  private static List<HeldLease> acquired(Locks locks) throws Exception {
    List<HeldLease> leases = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(16)) {
      List<Future<AcquireOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < HELD; i++) {
        AcquireRequest request = LockBench.request("lock-" + i, "owner");
        outcomes.add(pool.submit(() -> locks.acquire(request)));
      }
      for (Future<AcquireOutcome> outcome : outcomes) {
        if (outcome.get() instanceof AcquireOutcome.Granted(HeldLease held, var _)) {
          leases.add(held);
        }
      }
    }
    LockBench.expect(leases.size() == HELD);
    return leases;
  }

  /** Each is a transaction of its own. */
  private static long statements(String url) {
    return Long.parseLong(new DirectTables(url)
        .look("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").getFirst());
  }

  private static Renewal counting(Renewal renewal, AtomicLong beats) {
    return () -> {
      Renewal.Result result = renewal.renew();
      if (result instanceof Renewal.Renewed) {
        beats.incrementAndGet();
      }
      return result;
    };
  }

  private static LockStore open(String url) {
    return new SqlLocks(Database.at(url), SystemTime.source(), SystemTime.scheduler(),
        RenewalSchedule.DEFAULT_MAX_INTERVAL).open();
  }
}

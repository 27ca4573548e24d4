package fleet.tower.bench;

import static fleet.tower.lease.Actors.ACTOR;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
import fleet.tower.platform.time.system.SystemTime;

/** A benchmark of many held locks that are renewed every 30 s. */
final class HeldLocksBench {
  private static final int LOCKS = 10_000;
  private static final int WINDOWS = 2;

  private final LockBench bench;
  private final Path directory;

  HeldLocksBench(LockBench bench, Path directory) {
    this.bench = bench;
    this.directory = directory;
  }

  void run() throws Exception {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Duration interval = RenewalSchedule.DEFAULT_MAX_INTERVAL;
    AtomicLong beats = new AtomicLong();
    try (LockStore store = bench.open(directory)) {
      Locks locks = BenchLocks.of(store, _ -> true, SystemTime.source());
      List<HeldLease> leases = new ArrayList<>();
      for (int i = 0; i < LOCKS; i++) {
        AcquireRequest request = LockBench.request("lock-" + i, "owner");
        if (locks.acquire(request) instanceof AcquireOutcome.Granted(HeldLease held, var _)) {
          leases.add(held);
        }
      }
      LockBench.expect(leases.size() == LOCKS);
      LeaseRenewers heartbeats = new LeaseRenewers(SystemTime.source(), SystemTime.scheduler(),
          interval);
      List<LeaseRenewer> kept = new ArrayList<>();
      for (HeldLease held : leases) {
        kept.add(heartbeats.keep(held, counting(locks.renewal(ACTOR, held.lease()), beats), _ -> {}));
        SystemTime.scheduler().pause(interval.dividedBy(LOCKS));
      }
      // The first heartbeat of a lock creates the file that the later ones write over.
      SystemTime.scheduler().pause(interval);
      long before = system.getProcessCpuTime();
      long beatsBefore = beats.get();
      SystemTime.scheduler().pause(interval.multipliedBy(WINDOWS));
      double cpu = (system.getProcessCpuTime() - before) / (double) interval.multipliedBy(WINDOWS).toNanos();
      long renewed = beats.get() - beatsBefore;
      kept.forEach(LeaseRenewer::stop);
      LockBench.expect(renewed > LOCKS * WINDOWS * 0.95);
      System.out.printf(Locale.ROOT, "%-36s %9.1f %% of one core, %d renewals in %d s  limit 10 %%  %s%n",
          LOCKS + " held locks, every 30 s", cpu * 100, renewed, interval.toSeconds() * WINDOWS,
          cpu < 0.1 ? "ok" : "OVER");
    }
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
}

package fleet.tower.bench;

import static fleet.tower.lease.Actors.ACTOR;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import com.sun.management.OperatingSystemMXBean;

import fleet.tower.lease.HeldLease;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lease.keepalive.LeaseRenewer;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.Locks;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

/** Ten thousand held locks that this process renews every 30 s, spread evenly. */
final class KeptLocks implements AutoCloseable {
  static final Duration INTERVAL = RenewalSchedule.DEFAULT_MAX_INTERVAL;
  private static final int LOCKS = 10_000;
  private static final int CLIENTS = 16;
  private static final Scheduler SCHEDULER = SystemTime.scheduler();

  private final AtomicLong beats = new AtomicLong();
  private final LeaseRenewers renewers = new LeaseRenewers(SystemTime.source(), SCHEDULER, INTERVAL);
  private final List<LeaseRenewer> kept = new ArrayList<>();

  KeptLocks(Locks locks) throws Exception {
    for (HeldLease held : acquired(locks)) {
      kept.add(renewers.keep(held, counting(locks.renewal(ACTOR, held.lease())), _ -> {}));
      SCHEDULER.pause(INTERVAL.dividedBy(LOCKS));
    }
  }

  /** The processor time, in percent of a core, and something else that is counted, each second. */
  record Cost(double core, double counted) {}

  /** Measures two intervals. */
  Cost cost(LongSupplier counter) {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    Duration window = INTERVAL.multipliedBy(2);
    long processorBefore = system.getProcessCpuTime();
    long countedBefore = counter.getAsLong();
    long beatsBefore = beats.get();
    SCHEDULER.pause(window);
    double counted = (counter.getAsLong() - countedBefore) / (double) window.toSeconds();
    double core = 100.0 * (system.getProcessCpuTime() - processorBefore) / window.toNanos();
    LockBench.expect(beats.get() - beatsBefore > LOCKS * 2 * 0.95);
    return new Cost(core, counted);
  }

  Duration latest() {
    return renewers.lag().worst();
  }

  private static Queue<HeldLease> acquired(Locks locks) throws Exception {
    Queue<HeldLease> leases = new ConcurrentLinkedQueue<>();
    AtomicLong numbers = new AtomicLong();
    Clients.shared(CLIENTS, _ -> {
      if (locks.acquire(LockBench.request("lock-" + numbers.getAndIncrement(),
          "owner")) instanceof AcquireOutcome.Granted(HeldLease held, var _)) {
        leases.add(held);
      }
    }).run(LOCKS);
    LockBench.expect(leases.size() == LOCKS);
    return leases;
  }

  private Renewal counting(Renewal renewal) {
    return () -> {
      Renewal.Result result = renewal.renew();
      if (result instanceof Renewal.Renewed) {
        beats.incrementAndGet();
      }
      return result;
    };
  }

  @Override
  public void close() {
    kept.forEach(LeaseRenewer::stop);
  }
}

package fleet.tower.heartbeat;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Tenure;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/**
 * Tells its holder of a lease that was not renewed for so long that his work has to end now, to be over before anybody else can
 * have the lease.
 *
 * <p>It waits for nobody: neither for a beat that hangs nor for the threads that beats keep busy.
 */
final class Curfew {
  /** What ends a process may take ten seconds of grace. */
  private static final Duration LONGEST_LEAD = Duration.ofSeconds(12);
  private static final int LEADS_IN_A_TTL = 5;

  private final Scheduler scheduler;
  private final TimeSource time;
  private final Consumer<Tenure> onCall;
  private final ReentrantLock lock = new ReentrantLock();
  private Tenure latest;
  private Scheduler.@Nullable Pending next;
  private boolean isOver;

  Curfew(Tenure tenure, Scheduler scheduler, TimeSource time, Consumer<Tenure> onCall) {
    this.latest = tenure;
    this.scheduler = scheduler;
    this.time = time;
    this.onCall = onCall;
  }

  /** From now on this is what is known of the lease. */
  void extend(Tenure tenure) {
    lock.lock();
    try {
      latest = tenure;
      if (next == null && !isOver) {
        set();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Tells nobody any more. */
  void end() {
    lock.lock();
    try {
      isOver = true;
      if (next != null) {
        next.cancel();
        next = null;
      }
    } finally {
      lock.unlock();
    }
  }

  private void set() {
    next = scheduler.alarm(Duration.ofNanos(Math.max(1, nanosLeft())), this::look);
  }

  private long nanosLeft() {
    long share = latest.lease().ttl().duration().toNanos() / LEADS_IN_A_TTL;
    return latest.deadlineNanos() - Math.min(LONGEST_LEAD.toNanos(), share) - time.nanos();
  }

  private void look() {
    Tenure told;
    lock.lock();
    try {
      next = null;
      if (isOver) {
        return;
      }
      if (nanosLeft() > 0) {
        set();
        return;
      }
      told = latest;
    } finally {
      lock.unlock();
    }
    onCall.accept(told);
  }
}

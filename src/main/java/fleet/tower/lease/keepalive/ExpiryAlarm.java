package fleet.tower.lease.keepalive;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.HeldLease;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Two alarms before the end of a lease that is not renewed: the first asks for one more renewal, the second says that work
 * under the lease has to end now, to be over before anybody else can have the lease.
 *
 * <p>Neither waits for anything: not for a beat that hangs, not for the last renewal, not for the threads that beats keep busy.
 */
final class ExpiryAlarm {
  /** What ends a process may take ten seconds of grace. */
  private static final Duration LONGEST_LEAD = Duration.ofSeconds(12);
  private static final int LEADS_IN_A_TTL = 5;
  /** The last renewal has a quarter of the lead: three seconds, or a twentieth of a short ttl. */
  private static final int LAST_TRIES_IN_A_LEAD = 4;

  private final Scheduler scheduler;
  private final TimeSource time;
  private final Runnable onLastTry;
  private final Consumer<HeldLease> onEnd;
  private final ReentrantLock lock = new ReentrantLock();
  private HeldLease latest;
  private boolean hasTriedLast;
  private Scheduler.@Nullable Pending next;
  private boolean isOver;

  ExpiryAlarm(HeldLease tenure, Scheduler scheduler, TimeSource time, Runnable onLastTry, Consumer<HeldLease> onEnd) {
    this.latest = tenure;
    this.scheduler = scheduler;
    this.time = time;
    this.onLastTry = onLastTry;
    this.onEnd = onEnd;
  }

  /** From now on this is what is known of the lease. */
  void extend(HeldLease tenure) {
    lock.lock();
    try {
      latest = tenure;
      hasTriedLast = false;
      if (next == null && !isOver) {
        set(nanosLeft() - lastTryNanos());
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

  private void set(long nanos) {
    next = scheduler.alarm(Duration.ofNanos(Math.max(1, nanos)), this::look);
  }

  private long leadNanos() {
    return Math.min(LONGEST_LEAD.toNanos(), latest.lease().ttl().duration().toNanos() / LEADS_IN_A_TTL);
  }

  private long lastTryNanos() {
    return leadNanos() / LAST_TRIES_IN_A_LEAD;
  }

  private long nanosLeft() {
    return latest.deadlineNanos() - leadNanos() - time.nanos();
  }

  private void look() {
    HeldLease seen;
    Stage stage;
    lock.lock();
    try {
      next = null;
      if (isOver) {
        return;
      }
      seen = latest;
      stage = stage();
      switch (stage) {
        case EARLY -> set(nanosLeft() - (hasTriedLast ? 0 : lastTryNanos()));
        case LAST_TRY -> {
          hasTriedLast = true;
          // A look that comes late gives the last try its time all the same; the lead has room for that.
          set(Math.max(nanosLeft(), lastTryNanos()));
        }
        case END -> {
        }
      }
    } finally {
      lock.unlock();
    }
    switch (stage) {
      case EARLY -> {
      }
      case LAST_TRY -> onLastTry.run();
      case END -> onEnd.accept(seen);
    }
  }

  private enum Stage {
    EARLY, LAST_TRY, END
  }

  private Stage stage() {
    long left = nanosLeft();
    if (left > (hasTriedLast ? 0 : lastTryNanos())) {
      return Stage.EARLY;
    }
    return hasTriedLast || !latest.isTrustedAt(time.nanos()) ? Stage.END : Stage.LAST_TRY;
  }
}

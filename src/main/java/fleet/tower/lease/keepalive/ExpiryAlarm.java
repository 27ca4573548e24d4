package fleet.tower.lease.keepalive;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Two alarms before the end of a lease that is not renewed: the first asks for one more renewal, the second ends the
 * work under the lease.
 *
 * <p>Neither waits for anything: not for a renewal that hangs, not for the last try, not for the threads that renewals
 * keep busy.
 */
final class ExpiryAlarm {
  /**
   * An alarm at the deadline fires slightly late rather than early, because a lease is still held at the very moment of
   * its expiry.
   */
  private static final Duration LEAD_AT_THE_DEADLINE = Duration.ofMillis(-10);

  private final End end;
  private final Scheduler scheduler;
  private final TimeSource time;
  private final Runnable onLastTry;
  private final Consumer<LeaseTerm> onEnd;
  private final ReentrantLock lock = new ReentrantLock();
  private LeaseTerm latest;
  private boolean hasTriedLast;
  private Scheduler.@Nullable Pending next;
  private boolean isOver;

  ExpiryAlarm(LeaseTerm term, End end, Scheduler scheduler, TimeSource time, Runnable onLastTry,
      Consumer<LeaseTerm> onEnd) {
    this.latest = term;
    this.end = end;
    this.scheduler = scheduler;
    this.time = time;
    this.onLastTry = onLastTry;
    this.onEnd = onEnd;
  }

  /** When the second alarm fires. */
  enum End {
    /** Early enough for the work to be over when another holder may have the lease. */
    BEFORE_THE_DEADLINE,
    /** When the deadline has passed. */
    AT_THE_DEADLINE
  }

  /** Moves the alarms to a later term. */
  void extend(LeaseTerm term) {
    lock.lock();
    try {
      latest = term;
      hasTriedLast = false;
      if (next == null && !isOver) {
        set(nanosLeft() - lastTryNanos());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Cancels the alarms. */
  void cancel() {
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

  private long lastTryNanos() {
    return RenewalSchedule.lastTry(latest.ttl()).toNanos();
  }

  private long nanosLeft() {
    Duration lead = switch (end) {
      case BEFORE_THE_DEADLINE -> RenewalSchedule.lead(latest.ttl());
      case AT_THE_DEADLINE -> LEAD_AT_THE_DEADLINE;
    };
    return latest.deadlineNanos() - lead.toNanos() - time.nanos();
  }

  private void look() {
    LeaseTerm seen;
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
          // An alarm that fires late still gives the last try its time; the lead has room for that.
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

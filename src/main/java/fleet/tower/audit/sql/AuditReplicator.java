package fleet.tower.audit.sql;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Scheduler;

/**
 * Brings this host's events to the table on a thread of its own, so that nobody who has something to tell waits for a database.
 * What comes within a moment goes together. A short command has its thread only at its end, where it waits for it a moment; what
 * has not arrived then is brought by the next process of this host that has something to tell, or by its service.
 */
final class AuditReplicator {
  private static final Duration GATHERING = Duration.ofMillis(100);
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(2);
  private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(1);

  private final AuditBatch shipment;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final Semaphore wake = new Semaphore(0);
  private final Semaphore over = new Semaphore(0);
  /** Whether it is already seen to that somebody goes. */
  private final AtomicBoolean isCalled = new AtomicBoolean();
  private final AtomicBoolean isTold = new AtomicBoolean();
  private @Nullable Thread thread;
  private Scheduler.@Nullable Pending next;
  private volatile boolean isWatching;
  private volatile boolean isEnding;
  private volatile boolean isOver;

  AuditReplicator(AuditBatch shipment, Scheduler scheduler, Consumer<String> warnings) {
    this.shipment = shipment;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** There is something to bring. */
  void ring() {
    if (isCalled.compareAndSet(false, true)) {
      scheduler.after(GATHERING, this::go);
    }
  }

  /** From now on there may be something for which nobody rings. */
  void watch() {
    isWatching = true;
    go();
  }

  /** Brings what is left; false where that takes too long and is still being tried. */
  boolean finish() {
    isEnding = true;
    if (!isCalled.get() && !hasThread()) {
      return true;
    }
    go();
    Scheduler.Pending limit = scheduler.alarm(LONGEST_FAREWELL, over::release);
    over.acquireUninterruptibly();
    limit.cancel();
    if (!isOver) {
      tell("the database takes too long");
    }
    return isOver;
  }

  private synchronized boolean hasThread() {
    return thread != null;
  }

  private void go() {
    synchronized (this) {
      if (thread == null) {
        thread = Thread.ofPlatform().daemon().name("tower-audit").start(this::work);
      }
    }
    wake.release();
  }

  private void work() {
    boolean isLast;
    do {
      wake.acquireUninterruptibly();
      wake.drainPermits();
      // Before the look at the log: what comes behind it rings again, and who ends has told all before.
      isLast = isEnding;
      isCalled.set(false);
      boolean hasArrived = isBrought();
      if (!isLast) {
        plan(hasArrived);
      }
    } while (!isLast);
    isOver = true;
    over.release();
  }

  /** Until the next try nobody else needs to ring. */
  private void plan(boolean hasArrived) {
    if (next != null) {
      next.cancel();
      next = null;
    }
    if (!hasArrived) {
      isCalled.set(true);
      next = scheduler.after(BETWEEN_TRIES, this::go);
    } else if (isWatching) {
      next = scheduler.after(BETWEEN_LOOKS, this::go);
    }
  }

  /** Whatever is in the way, it is told once, and tried again. */
  private boolean isBrought() {
    try {
      shipment.ship();
      isTold.set(false);
      return true;
    } catch (RuntimeException e) {
      tell(String.valueOf(e.getMessage()));
      return false;
    }
  }

  private void tell(String reason) {
    if (isTold.compareAndSet(false, true)) {
      warnings.accept("audit events are in this host's files and not yet in the fleet's table, where they are brought"
          + " later: " + reason);
    }
  }
}

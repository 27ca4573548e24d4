package fleet.tower.audit.sql;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;

/**
 * Copies this host's events to the table on its own thread, so that writers of events do not wait for the database.
 * Events of a short period are copied together. A short command starts the thread only at its end and waits for it a
 * moment; events that are not copied by then are copied by the next process of this host that writes events, or by
 * its service.
 */
final class AuditReplicator {
  private static final Duration BATCH_DELAY = Duration.ofMillis(100);
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(2);
  private static final Duration FINISH_LIMIT = Duration.ofSeconds(1);

  private final AuditCopier copier;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final Semaphore wake = new Semaphore(0);
  private final Semaphore finished = new Semaphore(0);
  /** Whether a copy is already scheduled. */
  private final AtomicBoolean isScheduled = new AtomicBoolean();
  private final AtomicBoolean isReported = new AtomicBoolean();
  private @Nullable Thread thread;
  private Scheduler.@Nullable Pending next;
  private volatile boolean isWatching;
  private volatile boolean isEnding;
  private volatile boolean isFinished;

  AuditReplicator(AuditCopier copier, Scheduler scheduler, Consumer<String> warnings) {
    this.copier = copier;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  /** Schedules a copy of new events. */
  void schedule() {
    if (isScheduled.compareAndSet(false, true)) {
      scheduler.after(BATCH_DELAY, this::wakeThread);
    }
  }

  /** Starts polling for events that other processes have written. */
  void watch() {
    isWatching = true;
    wakeThread();
  }

  /** Copies the remaining events; false if that takes too long and continues. */
  boolean finish() {
    isEnding = true;
    if (!isScheduled.get() && !hasThread()) {
      return true;
    }
    wakeThread();
    Scheduler.Pending limit = scheduler.alarm(FINISH_LIMIT, finished::release);
    finished.acquireUninterruptibly();
    limit.cancel();
    if (!isFinished) {
      report("the database takes too long");
    }
    return isFinished;
  }

  private synchronized boolean hasThread() {
    return thread != null;
  }

  private void wakeThread() {
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
      // Before the copy: later events schedule another one, and finish() comes after the last event.
      isLast = isEnding;
      isScheduled.set(false);
      boolean isCopied = hasCopied();
      if (!isLast) {
        plan(isCopied);
      }
    } while (!isLast);
    isFinished = true;
    finished.release();
  }

  /** Schedules the next retry or poll. */
  private void plan(boolean isCopied) {
    if (next != null) {
      next.cancel();
      next = null;
    }
    if (!isCopied) {
      isScheduled.set(true);
      next = scheduler.after(RETRY_INTERVAL, this::wakeThread);
    } else if (isWatching) {
      next = scheduler.after(POLL_INTERVAL, this::wakeThread);
    }
  }

  /** Copies; a failure is reported once and retried. */
  private boolean hasCopied() {
    try {
      copier.copy();
      isReported.set(false);
      return true;
    } catch (RuntimeException e) {
      if (!(e instanceof StorageException storage && storage.isReported())) {
        report(String.valueOf(e.getMessage()));
      }
      return false;
    }
  }

  private void report(String reason) {
    if (isReported.compareAndSet(false, true)) {
      warnings.accept("audit events are in this host's files but not yet in the fleet's table, where they are copied"
          + " later: " + reason);
    }
  }
}

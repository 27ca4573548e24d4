package fleet.tower.platform.time.system;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Runs work on one thread as long as that keeps up: what comes together is done together, by a thread that is awake with a
 * warm cache. When work has waited for longer than {@link #PATIENCE} because something slow is in front of it, another
 * thread joins; so a disk that hangs for one lease delays the others by that much. Threads that find nothing to do go.
 */
final class Workers implements Executor {
  static final Duration PATIENCE = Duration.ofMillis(100);
  private static final int MOST = 256;
  private static final Duration IDLE = Duration.ofSeconds(10);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition hasWork = lock.newCondition();
  private final Deque<Waiting> queue = new ArrayDeque<>();
  private final Watch watch;
  private int workers;
  private int idle;
  private boolean watched;

  Workers(Watch watch) {
    this.watch = watch;
  }

  /** Runs something short after a delay, on a thread that is never kept busy. */
  interface Watch {
    void after(Duration delay, Runnable check);
  }

  private record Waiting(Runnable work, long sinceNanos) {}

  @Override
  public void execute(Runnable work) {
    lock.lock();
    try {
      queue.add(new Waiting(work, System.nanoTime()));
      if (idle > 0) {
        hasWork.signal();
      } else if (workers == 0) {
        startWorker();
      }
      watchQueue();
    } finally {
      lock.unlock();
    }
  }

  private void watchQueue() {
    if (!watched && !queue.isEmpty()) {
      watched = true;
      watch.after(PATIENCE, this::relieve);
    }
  }

  /** One more thread, if the first in the queue has lost its patience. */
  private void relieve() {
    lock.lock();
    try {
      watched = false;
      Waiting first = queue.peek();
      if (first != null && System.nanoTime() - first.sinceNanos() >= PATIENCE.toNanos() && workers < MOST) {
        startWorker();
      }
      watchQueue();
    } finally {
      lock.unlock();
    }
  }

  private void startWorker() {
    workers++;
    Thread thread = new Thread(this::work, "tower-worker-" + workers);
    thread.setDaemon(true);
    thread.start();
  }

  private void work() {
    for (Runnable work = next(); work != null; work = next()) {
      try {
        work.run();
      } catch (Throwable e) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }

  /** The next piece of work; null when there has been none for so long that this thread may end. */
  private @Nullable Runnable next() {
    lock.lock();
    try {
      Waiting first = awaitFirst();
      if (first == null) {
        workers--;
        return null;
      }
      return first.work();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Waiting awaitFirst() {
    idle++;
    try {
      long nanos = IDLE.toNanos();
      while (queue.isEmpty() && nanos > 0) {
        nanos = hasWork.awaitNanos(nanos);
      }
    } catch (InterruptedException nobodyShould) {
      // This thread ends, and the next piece of work starts another.
    } finally {
      idle--;
    }
    return queue.poll();
  }
}

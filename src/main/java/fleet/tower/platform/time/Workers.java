package fleet.tower.platform.time;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * A thread pool that prefers one thread: work that arrives together runs on a thread that is awake with a warm cache.
 * When work has waited longer than {@link #PATIENCE} behind something slow, another thread joins; so a disk that
 * hangs for one lease delays the others by that much. Idle threads end.
 */
final class Workers implements Executor {
  static final Duration PATIENCE = Duration.ofMillis(100);
  private static final int MAX_WORKERS = 256;
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

  /** Runs a short check after a delay, on a thread that is never blocked. */
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

  /** Starts another thread if the first work in the queue has waited too long. */
  private void relieve() {
    lock.lock();
    try {
      watched = false;
      Waiting first = queue.peek();
      if (first != null && System.nanoTime() - first.sinceNanos() >= PATIENCE.toNanos() && workers < MAX_WORKERS) {
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

  /** The next work; null if there has been none for so long that this thread should end. */
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
    } catch (InterruptedException unexpected) {
      // This thread ends; the next work starts another.
    } finally {
      idle--;
    }
    return queue.poll();
  }
}

package fleet.tower.platform.time;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A call that may hang, such as one to a stalled disk. Callers wait until the call has run for the limit. At most one
 * thread is blocked by it, however many callers there are, and a result is reused for a while.
 *
 * @param <T> the result
 */
public final class TimeLimited<T> {
  private final String name;
  private final Supplier<T> call;
  private final Duration limit;
  private final Duration freshFor;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean isRunning;
  private @Nullable T result;
  private long startedNanos;
  private long finishedNanos;

  /**
   * @param name the name of the thread that runs the call
   * @param limit how long callers wait for the result
   * @param freshFor how long a result is reused
   */
  public TimeLimited(String name, Supplier<T> call, Duration limit, Duration freshFor, TimeSource time,
      Scheduler scheduler) {
    this.name = name;
    this.call = call;
    this.limit = limit;
    this.freshFor = freshFor;
    this.time = time;
    this.scheduler = scheduler;
  }

  /** A waiting caller. */
  private final class Waiter {
    private boolean isExpired;

    void giveUp() {
      lock.lock();
      try {
        isExpired = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** The result; empty if it is late or the call failed. */
  public Optional<T> get() {
    Waiter waiter = new Waiter();
    long waited;
    lock.lock();
    try {
      if (!isRunning && isFresh()) {
        return Optional.ofNullable(result);
      }
      if (!isRunning) {
        isRunning = true;
        startedNanos = time.nanos();
        Thread.ofPlatform().daemon().name(name).start(this::run);
      }
      waited = time.nanos() - startedNanos;
      if (waited >= limit.toNanos()) {
        return Optional.empty();
      }
    } finally {
      lock.unlock();
    }
    Scheduler.Pending timer = scheduler.after(limit.minusNanos(waited), waiter::giveUp);
    lock.lock();
    try {
      while (isRunning && !waiter.isExpired) {
        changed.awaitUninterruptibly();
      }
      return isRunning ? Optional.empty() : Optional.ofNullable(result);
    } finally {
      lock.unlock();
      timer.cancel();
    }
  }

  private boolean isFresh() {
    return result != null && time.nanos() - finishedNanos < freshFor.toNanos();
  }

  private void run() {
    T value = null;
    try {
      value = call.get();
    } finally {
      lock.lock();
      try {
        result = value;
        finishedNanos = time.nanos();
        isRunning = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}

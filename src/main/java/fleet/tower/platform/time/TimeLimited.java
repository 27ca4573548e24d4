package fleet.tower.platform.time;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A question that may take for ever, as one to a disk that is stalled: whoever asks waits until it has been under way for so
 * long, and no longer. One thread at most is kept by it, however many ask, and an answer is good for a while.
 *
 * @param <T> the answer
 */
public final class TimeLimited<T> {
  private final String name;
  private final Supplier<T> question;
  private final Duration limit;
  private final Duration freshFor;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private boolean isAsking;
  private @Nullable T answer;
  private long askedNanos;
  private long answeredNanos;

  /**
   * A question to be asked again and again.
   *
   * @param name of the thread that waits for its answer
   * @param limit how long the answer is waited for
   * @param freshFor for how long an answer is given again
   */
  public TimeLimited(String name, Supplier<T> question, Duration limit, Duration freshFor, TimeSource time,
      Scheduler scheduler) {
    this.name = requireNonNull(name);
    this.question = requireNonNull(question);
    this.limit = requireNonNull(limit);
    this.freshFor = requireNonNull(freshFor);
    this.time = requireNonNull(time);
    this.scheduler = requireNonNull(scheduler);
  }

  /** One who waits, and whose time may be over. */
  private final class Asker {
    private boolean isOver;

    void giveUp() {
      lock.lock();
      try {
        isOver = true;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /** The answer, or nothing where none came in time, or the question failed. */
  public Optional<T> ask() {
    Asker asker = new Asker();
    long waited;
    lock.lock();
    try {
      if (!isAsking && isFresh()) {
        return Optional.ofNullable(answer);
      }
      if (!isAsking) {
        isAsking = true;
        askedNanos = time.nanos();
        Thread.ofPlatform().daemon().name(name).start(this::find);
      }
      waited = time.nanos() - askedNanos;
      if (waited >= limit.toNanos()) {
        return Optional.empty();
      }
    } finally {
      lock.unlock();
    }
    Scheduler.Pending timer = scheduler.after(limit.minusNanos(waited), asker::giveUp);
    lock.lock();
    try {
      while (isAsking && !asker.isOver) {
        changed.awaitUninterruptibly();
      }
      return isAsking ? Optional.empty() : Optional.ofNullable(answer);
    } finally {
      lock.unlock();
      timer.cancel();
    }
  }

  private boolean isFresh() {
    return answer != null && time.nanos() - answeredNanos < freshFor.toNanos();
  }

  private void find() {
    T found = null;
    try {
      found = question.get();
    } finally {
      lock.lock();
      try {
        answer = found;
        answeredNanos = time.nanos();
        isAsking = false;
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }
}

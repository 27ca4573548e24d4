package fleet.tower.run.execute;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/** The queue of signals for the one thread that performs a run. Any thread may add to it. */
final class Inbox {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Deque<RunSignal> signals = new ArrayDeque<>();

  void put(RunSignal signal) {
    lock.lock();
    try {
      signals.add(signal);
      arrived.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the next signal. */
  RunSignal take() {
    lock.lock();
    try {
      while (signals.isEmpty()) {
        arrived.awaitUninterruptibly();
      }
      return signals.remove();
    } finally {
      lock.unlock();
    }
  }

  /** The next signal; null if there is none now. */
  @Nullable
  RunSignal poll() {
    lock.lock();
    try {
      return signals.poll();
    } finally {
      lock.unlock();
    }
  }
}

package fleet.tower.run.execute;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * The queue of signals for the one thread that performs a run, which a step wakes when it awaits one. Any thread may
 * add to it.
 */
final class Inbox {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Deque<RunSignal> signals = new ArrayDeque<>();
  private Runnable onArrival = () -> {};

  void put(RunSignal signal) {
    Runnable wakes;
    lock.lock();
    try {
      signals.add(signal);
      arrived.signal();
      wakes = onArrival;
    } finally {
      lock.unlock();
    }
    wakes.run();
  }

  /** Calls this after each signal, from now on. */
  void onArrival(Runnable call) {
    lock.lock();
    try {
      onArrival = call;
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

package fleet.tower.platform.time;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A latch on which one thread waits for a signal. A signal that arrives before the wait is not lost. */
public final class WakeUp {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition signalled = lock.newCondition();
  private boolean isSignalled;

  /** Wakes the waiting thread, or the next one to wait. */
  public void signal() {
    lock.lock();
    try {
      isSignalled = true;
      signalled.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a signal sent since the last wait. An interrupt does not end the wait; the interrupt status is kept. */
  public void await() {
    lock.lock();
    try {
      while (!isSignalled) {
        signalled.awaitUninterruptibly();
      }
      isSignalled = false;
    } finally {
      lock.unlock();
    }
  }
}

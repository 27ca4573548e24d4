package fleet.tower.platform.wait;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What one waiter sleeps by until somebody rings. A ring that comes before the sleep is not lost. */
public final class WakeUp {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ringing = lock.newCondition();
  private boolean rung;

  /** Wakes the sleeper, or the next one to sleep. */
  public void ring() {
    lock.lock();
    try {
      rung = true;
      ringing.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Sleeps until it has been rung since the last sleep. An interrupt does not end it; it is kept for the caller to see. */
  public void await() {
    lock.lock();
    try {
      while (!rung) {
        ringing.awaitUninterruptibly();
      }
      rung = false;
    } finally {
      lock.unlock();
    }
  }
}

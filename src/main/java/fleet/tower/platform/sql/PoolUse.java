package fleet.tower.platform.sql;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** How many connections to one database this process uses, and how many threads wait for one. */
public final class PoolUse {
  private final AtomicInteger used = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Takes the permit to use a connection. */
  void acquire(Semaphore permits) {
    waiting.incrementAndGet();
    permits.acquireUninterruptibly();
    waiting.decrementAndGet();
    used.incrementAndGet();
  }

  void release(Semaphore permits) {
    used.decrementAndGet();
    permits.release();
  }

  /** The connections in use. */
  public int used() {
    return used.get();
  }

  /** The threads that wait for a connection. */
  public int waiting() {
    return waiting.get();
  }
}

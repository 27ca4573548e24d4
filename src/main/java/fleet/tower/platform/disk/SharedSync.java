package fleet.tower.platform.disk;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Syncs the writes of several threads to one file with one call. A thread that arrives during a sync waits for it and
 * shares the next one, because the current sync may have begun before the write.
 */
public final class SharedSync {
  private final Sync sync;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition finished = lock.newCondition();
  private boolean running;
  private long requested;
  private long done;

  /** The sync operation. */
  public interface Sync {
    void run() throws IOException;
  }

  public SharedSync(Sync sync) {
    this.sync = sync;
  }

  /** Returns when all earlier writes of this thread are on disk. If a shared sync fails, each thread retries alone. */
  public void await() throws IOException {
    long ticket = begin();
    if (ticket == 0) {
      return;
    }
    boolean succeeded = false;
    try {
      sync.run();
      succeeded = true;
    } finally {
      end(succeeded ? ticket : 0);
    }
  }

  /** Waits until this thread may sync; returns 0 if another thread's sync has covered its writes. */
  private long begin() {
    lock.lock();
    try {
      long ticket = ++requested;
      while (running && done < ticket) {
        finished.awaitUninterruptibly();
      }
      if (done >= ticket) {
        return 0;
      }
      running = true;
      return requested;
    } finally {
      lock.unlock();
    }
  }

  private void end(long covered) {
    lock.lock();
    try {
      running = false;
      done = Math.max(done, covered);
      finished.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

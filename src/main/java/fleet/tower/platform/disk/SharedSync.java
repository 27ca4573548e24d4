package fleet.tower.platform.disk;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings to the disk what several threads have written to one place, once for all of them: whoever comes while a sync is under
 * way waits for it and then shares the next one, for the one under way may have begun before the write.
 */
public final class SharedSync {
  private final Sync sync;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition finished = lock.newCondition();
  private boolean running;
  private long asked;
  private long done;

  /** What brings the place to the disk. */
  public interface Sync {
    void run() throws IOException;
  }

  public SharedSync(Sync sync) {
    this.sync = sync;
  }

  /** Returns when everything that this thread has written before is on the disk. Where a common sync fails, each tries alone. */
  public void await() throws IOException {
    long mine = begin();
    if (mine == 0) {
      return;
    }
    boolean succeeded = false;
    try {
      sync.run();
      succeeded = true;
    } finally {
      end(succeeded ? mine : 0);
    }
  }

  /** Waits for a turn; 0 when somebody else's sync has covered this thread's writes meanwhile. */
  private long begin() {
    lock.lock();
    try {
      long ticket = ++asked;
      while (running && done < ticket) {
        finished.awaitUninterruptibly();
      }
      if (done >= ticket) {
        return 0;
      }
      running = true;
      return asked;
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

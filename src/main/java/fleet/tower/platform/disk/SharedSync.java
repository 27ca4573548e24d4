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
  private final Runnable gathering;
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
    this(sync, () -> {});
  }

  /** @param gathering called before each sync; the threads that arrive meanwhile share it */
  public SharedSync(Sync sync, Runnable gathering) {
    this.sync = sync;
    this.gathering = gathering;
  }

  /** Returns when all earlier writes of this thread are on disk. If a shared sync fails, each thread retries alone. */
  public void await() throws IOException {
    if (!isLeading()) {
      return;
    }
    long covered = 0;
    try {
      gathering.run();
      long arrived = arrived();
      sync.run();
      covered = arrived;
    } finally {
      end(covered);
    }
  }

  /** Waits until this thread may sync; returns false if another thread's sync has covered its writes. */
  private boolean isLeading() {
    lock.lock();
    try {
      long ticket = ++requested;
      while (running && done < ticket) {
        finished.awaitUninterruptibly();
      }
      if (done >= ticket) {
        return false;
      }
      running = true;
      return true;
    } finally {
      lock.unlock();
    }
  }

  private long arrived() {
    lock.lock();
    try {
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

package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;

/**
 * Keeps the write-ahead log of a SQLite database short. Commits that do not wait for the disk leave that to a thread
 * of this class, because copying the log into the database needs syncs:
 *
 * <ol>
 * <li>The log is copied while others write.
 * <li>What they have written meanwhile is copied while this process writes nothing, so that the log is reset. That
 * takes one or two syncs, once for some hundreds of runs.
 * </ol>
 *
 * A checkpoint that fails, or that waits for a reader, is repeated after more commits.
 */
final class Checkpoints implements AutoCloseable {
  /** The log of 16 MiB, in pages of 4 KiB, from which it is copied. */
  static final int LONG_LOG = 4096;
  /** A commit of a run has at most some hundreds of kilobytes. */
  private static final int COMMITS_BETWEEN = 32;
  /** A wait for a reader blocks all writers. */
  private static final String WAIT_BRIEFLY = "PRAGMA busy_timeout = 20";
  private static final String MEASURE = "PRAGMA wal_checkpoint(NOOP)";
  private static final String COPY = "PRAGMA wal_checkpoint(PASSIVE)";
  private static final String COPY_AND_BEGIN_ANEW = "PRAGMA wal_checkpoint(RESTART)";

  private final Connector connector;
  private final Lock writing;
  private final AtomicInteger commits = new AtomicInteger();
  private final AtomicBoolean isAtWork = new AtomicBoolean();
  private final ReentrantLock using = new ReentrantLock();
  private @Nullable Session session;
  private boolean isClosed;

  /** @param writing held while this process writes to the database */
  Checkpoints(Connector connector, Lock writing) {
    this.connector = connector;
    this.writing = writing;
  }

  /** After a commit that did not wait for the disk. */
  void committed() {
    if (commits.incrementAndGet() % COMMITS_BETWEEN == 0 && isAtWork.compareAndSet(false, true)) {
      Thread.ofPlatform().daemon().name("tower-checkpoint").start(this::checkpoint);
    }
  }

  private void checkpoint() {
    using.lock();
    try {
      if (!isClosed) {
        shorten(opened());
      }
    } catch (SQLException | StorageException repeatedLater) {
      discard();
    } finally {
      using.unlock();
      isAtWork.set(false);
    }
  }

  private void shorten(Session own) throws SQLException {
    if (pages(own, MEASURE) < LONG_LOG) {
      return;
    }
    pages(own, COPY);
    writing.lock();
    try {
      pages(own, COPY_AND_BEGIN_ANEW);
    } finally {
      writing.unlock();
    }
  }

  /** The pages of the log before a checkpoint. */
  private static int pages(Session own, String checkpoint) throws SQLException {
    return own.query(checkpoint, row -> row.getInt(2)).getFirst();
  }

  private Session opened() throws SQLException {
    Session open = session;
    if (open == null) {
      open = connector.open(Dialect.Purpose.DURABLE);
      session = open;
      open.execute(WAIT_BRIEFLY);
    }
    return open;
  }

  private void discard() {
    Session open = session;
    session = null;
    if (open != null) {
      open.close();
    }
  }

  /** Waits for a checkpoint that has begun. */
  @Override
  public void close() {
    using.lock();
    try {
      isClosed = true;
      discard();
    } finally {
      using.unlock();
    }
  }
}

package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;

/** A few connections for one purpose, each statement a transaction of its own, opened when they are first needed. */
final class Sessions implements AutoCloseable {
  private final Dialect dialect;
  private final Dialect.Purpose purpose;
  private final int most;
  private final Semaphore free;
  private final ConcurrentLinkedDeque<Session> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean isClosed;

  Sessions(Dialect dialect, Dialect.Purpose purpose, int most) {
    this.dialect = dialect;
    this.purpose = purpose;
    this.most = most;
    this.free = new Semaphore(most);
  }

  /** Does work that may be done twice without harm. */
  <T extends @Nullable Object> T read(Database.Work<T> work) {
    free.acquireUninterruptibly();
    try {
      Session kept = idle.poll();
      return kept == null ? readAnew(work) : readOn(kept, work);
    } catch (SQLException e) {
      throw dialect.explain(e);
    } finally {
      free.release();
    }
  }

  /** A connection that was kept may have been cut since; then another one is opened. */
  private <T extends @Nullable Object> T readOn(Session kept, Database.Work<T> work) throws SQLException {
    try {
      return use(kept, work);
    } catch (SQLException e) {
      return readAnew(work);
    }
  }

  private <T extends @Nullable Object> T readAnew(Database.Work<T> work) throws SQLException {
    return use(dialect.open(purpose), work);
  }

  /**
   * Does a statement that changes something. Where it fails nobody knows whether it has been done; then it is made sure that it
   * is not being done any more, and {@code undo} takes it back. After a connection was cut it is tried once more.
   */
  <T extends @Nullable Object> T change(Database.Work<T> work, Database.Work<?> undo) {
    free.acquireUninterruptibly();
    try {
      Session kept = idle.poll();
      Session session = kept == null ? dialect.open(purpose) : kept;
      try {
        return use(session, work);
      } catch (SQLException e) {
        takeBack(session, undo, e);
        if (!dialect.isCut(e)) {
          throw e;
        }
      }
      Session another = dialect.open(purpose);
      try {
        return use(another, work);
      } catch (SQLException e) {
        takeBack(another, undo, e);
        throw e;
      }
    } catch (SQLException e) {
      throw dialect.explain(e);
    } finally {
      free.release();
    }
  }

  private void takeBack(Session failed, Database.Work<?> undo, SQLException failure) {
    try {
      use(dialect.open(purpose), session -> {
        if (dialect.isCut(failure)) {
          dialect.end(failed, session);
        }
        return undo.run(session);
      });
    } catch (SQLException e) {
      failure.addSuppressed(e);
      StorageException explained = dialect.explain(failure);
      String unknown = "; whether it was done is not known, and it could not be taken back; look when the database"
          + " answers again";
      throw new StorageException(explained.getMessage() + unknown, explained.publicMessage() + unknown, failure);
    }
  }

  /** Does work that may be done twice without harm, and gives up when an answer takes longer than a limit. */
  <T extends @Nullable Object> T within(Duration limit, Database.Work<T> work) {
    free.acquireUninterruptibly();
    try {
      Session kept = idle.poll();
      return use(kept == null ? dialect.open(purpose) : kept, session -> {
        session.limit(limit);
        return work.run(session);
      });
    } catch (SQLException e) {
      throw dialect.explain(e);
    } finally {
      free.release();
    }
  }

  /** After an error the connection is given up. */
  private <T extends @Nullable Object> T use(Session session, Database.Work<T> work) throws SQLException {
    boolean isSound = false;
    try {
      T result = work.run(session);
      isSound = true;
      return result;
    } finally {
      if (isSound && !isClosed) {
        idle.push(session);
      } else {
        session.close();
      }
    }
  }

  /** Waits for those who use them. */
  @Override
  public void close() {
    isClosed = true;
    for (int i = 0; i < most; i++) {
      free.acquireUninterruptibly();
    }
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      session.close();
    }
    free.release(most);
  }
}

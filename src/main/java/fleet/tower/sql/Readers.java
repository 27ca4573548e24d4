package fleet.tower.sql;

import java.sql.SQLException;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/** A few connections for looking, opened when they are first needed. Nobody who looks waits for somebody who writes. */
final class Readers implements AutoCloseable {
  private static final int MOST = 4;

  private final Dialect dialect;
  private final Semaphore free = new Semaphore(MOST, true);
  private final ConcurrentLinkedDeque<Session> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean isClosed;

  Readers(Dialect dialect) {
    this.dialect = dialect;
  }

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
      return read(kept, work);
    } catch (SQLException e) {
      return readAnew(work);
    }
  }

  private <T extends @Nullable Object> T readAnew(Database.Work<T> work) throws SQLException {
    return read(dialect.open(Dialect.Purpose.READING), work);
  }

  /** After an error the connection is given up. */
  private <T extends @Nullable Object> T read(Session session, Database.Work<T> work) throws SQLException {
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

  /** Waits for those who are looking. */
  @Override
  public void close() {
    isClosed = true;
    free.acquireUninterruptibly(MOST);
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      session.close();
    }
    free.release(MOST);
  }
}

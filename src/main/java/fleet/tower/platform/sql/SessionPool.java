package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;

/** A pool of connections for one purpose, each statement its own transaction, opened on demand. */
final class SessionPool implements AutoCloseable {
  private final Connector connector;
  private final Dialect.Purpose purpose;
  private final int size;
  private final Semaphore free;
  private final ConcurrentLinkedDeque<Session> idle = new ConcurrentLinkedDeque<>();
  private volatile boolean isClosed;

  SessionPool(Connector connector, Dialect.Purpose purpose, int size) {
    this.connector = connector;
    this.purpose = purpose;
    this.size = size;
    this.free = new Semaphore(size);
  }

  /** Runs work that is safe to repeat. */
  <T extends @Nullable Object> T read(Database.Work<T> work) {
    connector.use().acquire(free);
    try {
      Session pooled = idle.poll();
      return pooled == null ? readOnNew(work) : readOnIdle(pooled, work);
    } catch (SQLException e) {
      throw connector.explain(e);
    } finally {
      connector.use().release(free);
    }
  }

  /** Retries on a new connection, because an idle one may have been lost. */
  private <T extends @Nullable Object> T readOnIdle(Session pooled, Database.Work<T> work) throws SQLException {
    try {
      return use(pooled, work);
    } catch (SQLException e) {
      return readOnNew(work);
    }
  }

  private <T extends @Nullable Object> T readOnNew(Database.Work<T> work) throws SQLException {
    return use(connector.open(purpose), work);
  }

  /**
   * Runs a changing statement. If it fails, its outcome is unknown; this then ensures that it is no longer running, and
   * {@code undo} reverts it. After a lost connection it is tried once more.
   */
  <T extends @Nullable Object> T change(Database.Work<T> work, Database.Work<?> undo) {
    connector.use().acquire(free);
    try {
      Session pooled = idle.poll();
      Session session = pooled == null ? connector.open(purpose) : pooled;
      try {
        return use(session, work);
      } catch (SQLException e) {
        revert(session, undo, e);
        if (!connector.dialect().isConnectionLost(e)) {
          throw e;
        }
      }
      Session another = connector.open(purpose);
      try {
        return use(another, work);
      } catch (SQLException e) {
        revert(another, undo, e);
        throw e;
      }
    } catch (SQLException e) {
      throw connector.explain(e);
    } finally {
      connector.use().release(free);
    }
  }

  private void revert(Session failed, Database.Work<?> undo, SQLException failure) {
    try {
      use(connector.open(purpose), session -> {
        if (connector.dialect().isConnectionLost(failure)) {
          connector.dialect().terminate(failed, session);
        }
        return undo.run(session);
      });
    } catch (SQLException e) {
      failure.addSuppressed(e);
      throw connector.explain(failure).adding("; whether it was done is unknown, and it could not be reverted; check"
          + " when the database is available again");
    }
  }

  /** Runs work that is safe to repeat, and fails if a reply takes longer than a limit. */
  <T extends @Nullable Object> T within(Duration limit, Database.Work<T> work) {
    connector.use().acquire(free);
    try {
      Session pooled = idle.poll();
      return use(pooled == null ? connector.open(purpose) : pooled, session -> {
        session.limit(limit);
        return work.run(session);
      });
    } catch (SQLException e) {
      throw connector.explain(e);
    } finally {
      connector.use().release(free);
    }
  }

  /** Runs work on a connection, which is discarded after an error. */
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

  /** Waits until all connections are returned. */
  @Override
  public void close() {
    isClosed = true;
    for (int i = 0; i < size; i++) {
      free.acquireUninterruptibly();
    }
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      session.close();
    }
    free.release(size);
  }
}

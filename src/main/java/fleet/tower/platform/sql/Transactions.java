package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;

/**
 * Commits several pending writes in one transaction, with one sync of the disk.
 *
 * <p>If that fails, none of them has happened, and each is repeated alone, so that each gets its own outcome.
 * Savepoints do not suffice: on a full or failing disk the database rolls back the whole transaction.
 */
final class Transactions implements AutoCloseable {
  /** Each retry means that another transaction succeeded, so this is far more than needed. */
  private static final int MAX_TRIES = 20;

  private final Connector connector;
  private final Dialect dialect;
  private @Nullable Session durable;
  private @Nullable Session swift;
  private @Nullable Object identity;
  /** Whether the commit has started; if it fails then, its outcome is unknown. */
  private boolean isCommitting;

  Transactions(Connector connector) {
    this.connector = connector;
    this.dialect = connector.dialect();
  }

  /** A copy with its own connections, for an initialized database. */
  Transactions fork() {
    Transactions fork = new Transactions(connector);
    fork.identity = identity;
    return fork;
  }

  /** Completes every pending write. */
  void commit(List<PendingWrite<?>> writes) {
    try {
      if (writes.size() == 1 || !hasCommitted(writes)) {
        for (PendingWrite<?> pending : writes) {
          commitAlone(pending);
        }
      }
    } catch (Error e) {
      close();
      writes.stream().filter(pending -> !pending.isDone()).forEach(pending -> pending.fail(e));
    }
  }

  private boolean hasCommitted(List<PendingWrite<?>> writes) {
    try {
      transact(writes);
      return true;
    } catch (SQLException e) {
      if (dialect.isBusy(e)) {
        StorageException busy = connector.explain(e);
        writes.forEach(pending -> pending.fail(busy));
      }
      return dialect.isBusy(e);
    } catch (RuntimeException failedWork) {
      return false;
    }
  }

  private void commitAlone(PendingWrite<?> pending) {
    try {
      int tries = 1;
      while (!hasCommittedAlone(pending, tries)) {
        tries++;
      }
    } catch (SQLException e) {
      pending.fail(connector.explain(e));
    } catch (RuntimeException e) {
      pending.fail(e);
    }
  }

  /** Retries if an idle connection was lost before the commit started, or if the transaction is retryable. */
  private boolean hasCommittedAlone(PendingWrite<?> pending, int tries) throws SQLException {
    boolean isKept = (pending.isDurable() ? durable : swift) != null;
    try {
      transact(List.of(pending));
      return true;
    } catch (SQLException e) {
      boolean isLostBeforeCommit = isKept && !isCommitting && dialect.isConnectionLost(e);
      if (isLostBeforeCommit || (tries < MAX_TRIES && dialect.isRetryable(e))) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Runs the writes in one transaction; after an SQL error the connections are discarded, because their state is
   * unknown.
   */
  private void transact(List<PendingWrite<?>> writes) throws SQLException {
    requireSameDatabase();
    isCommitting = false;
    Session session = begun(writes.stream().anyMatch(PendingWrite::isDurable));
    try {
      for (PendingWrite<?> pending : writes) {
        pending.attempt(session);
      }
      isCommitting = true;
      session.update("COMMIT");
    } catch (SQLException e) {
      rollBack(session);
      close();
      throw e;
    } catch (RuntimeException e) {
      rollBack(session);
      throw e;
    }
    writes.forEach(PendingWrite::succeed);
  }

  /** Fails if the database was replaced: SQLite would silently write to the deleted file. */
  private void requireSameDatabase() {
    if (!dialect.identity().equals(identity)) {
      throw new StorageException("the database " + dialect.name()
          + " was deleted or replaced while it was in use; restore it, or restart the programs that use it");
    }
  }

  /** Rolls back the transaction, if the database has not done so already. */
  static void rollBack(Session session) {
    try {
      session.update("ROLLBACK");
    } catch (SQLException alreadyRolledBack) {
      return;
    }
  }

  /** Begins a transaction; opens a new connection if the idle one was lost. */
  private Session begun(boolean isDurable) throws SQLException {
    boolean isKept = (isDurable ? durable : swift) != null;
    try {
      return begin(isDurable);
    } catch (SQLException e) {
      if (isKept && !dialect.isBusy(e)) {
        return begin(isDurable);
      }
      throw e;
    }
  }

  private Session begin(boolean isDurable) throws SQLException {
    Session session = session(isDurable);
    try {
      dialect.begin(session);
      return session;
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  private Session session(boolean isDurable) throws SQLException {
    Session session = isDurable ? durable : swift;
    if (session == null) {
      session = connector.open(isDurable ? Dialect.Purpose.DURABLE : Dialect.Purpose.SWIFT);
      keep(session, isDurable);
    }
    return session;
  }

  private void keep(Session session, boolean isDurable) {
    if (isDurable) {
      durable = session;
    } else {
      swift = session;
    }
  }

  /** Prepares the database for a program that is admitted, and applies the migrations. */
  void initialize(Migrations migrations, DatabaseAdmission admission) {
    try {
      Session session = session(true);
      admission.open(session, false);
      rollBack(session);
      dialect.initialize(session);
      migrations.apply(session, dialect);
      admission.open(session, true);
      rollBack(session);
      identity = dialect.identity();
    } catch (SQLException e) {
      close();
      throw connector.explain(e);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public void close() {
    Session first = durable;
    Session second = swift;
    durable = null;
    swift = null;
    if (first != null) {
      first.close();
    }
    if (second != null) {
      second.close();
    }
  }
}

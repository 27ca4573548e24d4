package fleet.tower.platform.sql;

import java.sql.SQLException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;

/**
 * Commits several turns as one, with one sync of the disk for all of them.
 *
 * <p>Where that fails, nothing of it has happened, and each turn is done again alone, so that each has the outcome that is
 * its own. Savepoints would not do: on a full disk or a broken one the database rolls back the whole transaction.
 */
final class Transactions implements AutoCloseable {
  /** Each time somebody else has come through, so this is far more than it takes. */
  private static final int MOST_TRIES = 20;

  private final Dialect dialect;
  private @Nullable Session durable;
  private @Nullable Session swift;
  private @Nullable Object settled;
  /** From here on nobody knows whether it has happened, if it fails. */
  private boolean isCommitting;

  Transactions(Dialect dialect) {
    this.dialect = dialect;
  }

  /** The same on connections of its own, when the database has been settled. */
  Transactions another() {
    Transactions another = new Transactions(dialect);
    another.settled = settled;
    return another;
  }

  /** Gives every turn its outcome. */
  void commit(List<Turn<?>> turns) {
    try {
      if (turns.size() == 1 || !hasCommitted(turns)) {
        for (Turn<?> turn : turns) {
          commitAlone(turn);
        }
      }
    } catch (Error e) {
      close();
      turns.stream().filter(turn -> !turn.isDone()).forEach(turn -> turn.fail(e));
    }
  }

  private boolean hasCommitted(List<Turn<?>> turns) {
    try {
      transact(turns);
      return true;
    } catch (SQLException e) {
      if (dialect.isBusy(e)) {
        StorageException busy = dialect.explain(e);
        turns.forEach(turn -> turn.fail(busy));
      }
      return dialect.isBusy(e);
    } catch (RuntimeException oneOfThem) {
      return false;
    }
  }

  private void commitAlone(Turn<?> turn) {
    try {
      int tries = 1;
      while (!hasCommittedAlone(turn, tries)) {
        tries++;
      }
    } catch (SQLException e) {
      turn.fail(dialect.explain(e));
    } catch (RuntimeException e) {
      turn.fail(e);
    }
  }

  /** A connection that was kept may have been cut since; what was not being committed has not happened, and is done anew. */
  private boolean hasCommittedAlone(Turn<?> turn, int tries) throws SQLException {
    boolean isKept = (turn.isDurable() ? durable : swift) != null;
    try {
      transact(List.of(turn));
      return true;
    } catch (SQLException e) {
      boolean isCutBefore = isKept && !isCommitting && dialect.isCut(e);
      if (isCutBefore || (tries < MOST_TRIES && dialect.isWorthAnotherTry(e))) {
        return false;
      }
      throw e;
    }
  }

  /** After an error the connection is given up: what state it is in is not worth knowing. */
  private void transact(List<Turn<?>> turns) throws SQLException {
    requireSame();
    isCommitting = false;
    Session session = begun(turns.stream().anyMatch(Turn::isDurable));
    try {
      for (Turn<?> turn : turns) {
        turn.attempt(session);
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
    turns.forEach(Turn::succeed);
  }

  /** SQLite writes on to a file that was deleted, where nobody will find it, without a word. */
  private void requireSame() {
    if (!dialect.identity().equals(settled)) {
      throw new StorageException("the database " + dialect.name()
          + " was deleted or replaced while it was in use; put it back, or start anew what uses it");
    }
  }

  /** Takes back what has not been committed; where nothing is left to take back, the database has done it already. */
  static void rollBack(Session session) {
    try {
      session.update("ROLLBACK");
    } catch (SQLException alreadyRolledBack) {
      return;
    }
  }

  /** A connection that was kept may have been cut since; nothing has been done on it, so another one is opened. */
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
      session = dialect.open(isDurable ? Dialect.Purpose.DURABLE : Dialect.Purpose.SWIFT);
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

  /** Readies the database for everybody who comes after. */
  void settle(Migrations migrations) {
    try {
      Session session = session(true);
      dialect.settle(session);
      migrations.apply(session, dialect);
      rollBack(session);
      settled = dialect.identity();
    } catch (SQLException e) {
      close();
      throw dialect.explain(e);
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

package fleet.tower.platform.sql;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;

/**
 * Opens the connections of a database, and explains their failures. During an outage it opens none.
 *
 * @param reachability null if outages are not observed
 */
record Connector(Dialect dialect, @Nullable Reachability reachability, PoolUse use) {

  /** A connector with a pool of its own. */
  static Connector of(Dialect dialect, @Nullable Reachability reachability) {
    return new Connector(dialect, reachability, new PoolUse());
  }

  /** Connections of urgent statements are always tried: a heartbeat must not wait for the next probe. */
  Session open(Dialect.Purpose purpose) throws SQLException {
    if (purpose != Dialect.Purpose.URGENT) {
      requireUp();
    }
    Session session = dialect.open(purpose);
    if (reachability != null) {
      reachability.answered();
    }
    return session;
  }

  /** Throws if the database is known to be out of reach now. */
  void requireUp() throws SQLException {
    if (reachability != null) {
      reachability.requireUp();
    }
  }

  /** Converts an error to an exception whose message states the remedy. An outage is a reason to probe the database. */
  StorageException explain(SQLException error) {
    StorageException explained = dialect.explain(error);
    Reachability observed = reachability;
    if (observed == null || !explained.isOutage() || !observed.isReporting()) {
      return explained;
    }
    observed.suspect();
    return explained.ofReportedOutage();
  }
}

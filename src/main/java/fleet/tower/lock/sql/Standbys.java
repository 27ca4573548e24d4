package fleet.tower.lock.sql;

import java.sql.ResultSet;
import java.sql.SQLException;

import fleet.tower.lock.Replication;
import fleet.tower.platform.sql.Database;

/**
 * The standbys of a server, as it reports them. One that is not synchronous may miss a granted lock, and after a
 * failover the name then has two holders until the first one's next heartbeat.
 *
 * @param all the number of standbys
 *
 * @param synchronous how many of them a commit waits for
 *
 * @param isAwaited whether a commit is configured to wait for any
 */
record Standbys(long all, long synchronous, boolean isAwaited) {

  /** Without the privilege to see a standby's state, its row is still visible. */
  private static final String QUERY = "SELECT COUNT(*), COUNT(*) FILTER (WHERE sync_state IN ('sync', 'quorum')),"
      + " current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit')"
      + " IN ('on', 'remote_apply', 'remote_write') FROM pg_stat_replication WHERE application_name <> 'pg_basebackup'";

  private static Standbys read(ResultSet row) throws SQLException {
    return new Standbys(row.getLong(1), row.getLong(2), row.getBoolean(3));
  }

  /** How a server's standbys replicate now. */
  static Replication replication(Database database) {
    return database.read(session -> session.query(QUERY, Standbys::read).getFirst()).map(Standbys::replication)
        .orElse(Replication.NONE);
  }

  private Replication replication() {
    if (all == 0) {
      return Replication.NONE;
    }
    return isAwaited && synchronous > 0 ? Replication.SYNCHRONOUS : Replication.ASYNCHRONOUS;
  }
}

package fleet.tower.lock.sql;

import java.sql.ResultSet;
import java.sql.SQLException;

import fleet.tower.lock.Replication;
import fleet.tower.platform.sql.Database;

/**
 * The standbys that follow a server, as it tells of them. One that is not synchronous may not know a lock that was granted, and
 * then a name has two holders until the first one's next heartbeat.
 *
 * @param all how many follow
 * @param synchronous how many of them a commit waits for
 * @param isAwaited whether a commit is set to wait for any
 */
record Standbys(long all, long synchronous, boolean isAwaited) {

  /** Who may not see how a standby is attached sees that there is one. */
  private static final String LOOK = "SELECT COUNT(*), COUNT(*) FILTER (WHERE sync_state IN ('sync', 'quorum')),"
      + " current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit')"
      + " IN ('on', 'remote_apply', 'remote_write') FROM pg_stat_replication WHERE application_name <> 'pg_basebackup'";

  private static Standbys read(ResultSet row) throws SQLException {
    return new Standbys(row.getLong(1), row.getLong(2), row.getBoolean(3));
  }

  /** How a server's standbys follow it now. */
  static Replication replication(Database database) {
    return database.read(session -> session.query(LOOK, Standbys::read).getFirst()).map(Standbys::replication)
        .orElse(Replication.NONE);
  }

  private Replication replication() {
    if (all == 0) {
      return Replication.NONE;
    }
    return isAwaited && synchronous > 0 ? Replication.SYNCHRONOUS : Replication.ASYNCHRONOUS;
  }
}

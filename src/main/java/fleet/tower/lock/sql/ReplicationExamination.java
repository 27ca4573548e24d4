package fleet.tower.lock.sql;

import java.util.List;
import java.util.Optional;

import fleet.tower.doctor.Examination;
import fleet.tower.doctor.Finding;
import fleet.tower.lock.StorageException;
import fleet.tower.sql.Database;

/**
 * Whether a standby that takes over would know every lock that was granted. One that is not synchronous may not, and then a
 * name has two holders until the first one's next heartbeat.
 */
final class ReplicationExamination implements Examination {
  private static final String CHECK = "replication";

  /** Who may not see how a standby is attached sees that there is one. */
  private static final String STANDBYS = "SELECT COUNT(*), COUNT(*) FILTER (WHERE sync_state IN ('sync', 'quorum')),"
      + " current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit')"
      + " IN ('on', 'remote_apply', 'remote_write') FROM pg_stat_replication WHERE application_name <> 'pg_basebackup'";

  private final Database database;

  ReplicationExamination(Database database) {
    this.database = database;
  }

  /** How many standbys follow, how many of them a commit waits for, and whether it is set to wait for any. */
  private record Standbys(long all, long synchronous, boolean isAwaited) {}

  @Override
  public List<Finding> examine() {
    try {
      Optional<Standbys> standbys = database.read(session -> session.query(STANDBYS,
          row -> new Standbys(row.getLong(1), row.getLong(2), row.getBoolean(3))).getFirst());
      return List.of(standbys.map(ReplicationExamination::finding)
          .orElseGet(() -> Finding.ok(CHECK, "there is no database yet")));
    } catch (StorageException e) {
      return List.of(Finding.warn(CHECK, "cannot be looked at", String.valueOf(e.getMessage())));
    }
  }

  private static Finding finding(Standbys standbys) {
    if (standbys.all() == 0) {
      return Finding.ok(CHECK, "no standby follows this server");
    }
    boolean isSafe = standbys.isAwaited() && standbys.synchronous() > 0;
    return isSafe
        ? Finding.ok(CHECK, "synchronous: what was granted is known to a standby")
        : Finding.warn(CHECK,
            "degraded: asynchronous replication; a standby that takes over may not know the last locks",
            "set synchronous_standby_names on the server, or accept what docs/fleet.md says of failovers");
  }
}

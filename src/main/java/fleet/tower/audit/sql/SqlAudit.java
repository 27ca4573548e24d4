package fleet.tower.audit.sql;

import java.util.function.Consumer;

import fleet.tower.audit.AuditPages;
import fleet.tower.audit.FleetAuditLog;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;

/**
 * The factory of the common log of all hosts in PostgreSQL.
 *
 * @param database remains open for other users
 * @param pages this host's own log
 * @param hostId the host id of its events
 * @param warnings receives failures of the copy
 */
public record SqlAudit(Database database, AuditPages pages, String hostId, Scheduler scheduler,
    Consumer<String> warnings) {
  /** The log; the database is not accessed before the first copy or query. */
  public FleetAuditLog open() {
    return new SqlFleetAuditLog(this);
  }
}

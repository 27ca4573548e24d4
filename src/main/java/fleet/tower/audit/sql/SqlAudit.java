package fleet.tower.audit.sql;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;

import fleet.tower.audit.AuditPages;
import fleet.tower.audit.FleetAuditLog;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;

/**
 * Opens the log of all hosts in PostgreSQL.
 *
 * @param database stays open for others
 * @param pages this host's own log
 * @param hostId the name under which its events are told
 * @param warnings told when the copying stands still
 */
public record SqlAudit(Database database, AuditPages pages, String hostId, Scheduler scheduler,
    Consumer<String> warnings) {
  public SqlAudit {
    requireNonNull(database);
    requireNonNull(pages);
    requireNonNull(hostId);
    requireNonNull(scheduler);
    requireNonNull(warnings);
  }

  /** The log. Nothing is touched before there is something to copy or somebody asks. */
  public FleetAuditLog open() {
    return new SqlFleetAuditLog(this);
  }
}

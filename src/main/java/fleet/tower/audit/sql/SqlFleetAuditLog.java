package fleet.tower.audit.sql;

import fleet.tower.audit.AuditDays;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.FleetAuditLog;

/** The common log of all hosts in a table, filled by an {@link AuditReplicator}. */
final class SqlFleetAuditLog implements FleetAuditLog {
  private final SqlAudit settings;
  private final AuditCopier copier;
  private final AuditReplicator replicator;

  SqlFleetAuditLog(SqlAudit settings) {
    this.settings = settings;
    this.copier = new AuditCopier(settings.database(), settings.pages(), settings.hostId());
    this.replicator = new AuditReplicator(copier, settings.scheduler(), settings.warnings());
  }

  @Override
  public AuditLog replicating(AuditLog own) {
    return events -> {
      boolean isWritten = own.write(events);
      replicator.schedule();
      return isWritten;
    };
  }

  @Override
  public AuditTrail trail(AuditTrail own) {
    return new SqlAuditTrail(settings.database(), copier, own, settings.scheduler(), settings.warnings());
  }

  @Override
  public AuditDays days(AuditDays own, boolean isForAll) {
    return new SqlAuditDays(settings.database(), copier, settings.pages(), own, isForAll);
  }

  @Override
  public void watch() {
    replicator.watch();
  }

  @Override
  public boolean finish() {
    return replicator.finish();
  }
}

package fleet.tower.audit.sql;

import fleet.tower.audit.AuditDays;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.AuditTrail;
import fleet.tower.audit.FleetAuditLog;

/** The table of all events, and who brings this host's there. */
final class SqlFleetAuditLog implements FleetAuditLog {
  private final SqlAudit place;
  private final AuditBatch shipment;
  private final AuditReplicator courier;

  SqlFleetAuditLog(SqlAudit place) {
    this.place = place;
    this.shipment = new AuditBatch(place.database(), place.pages(), place.hostId());
    this.courier = new AuditReplicator(shipment, place.scheduler(), place.warnings());
  }

  @Override
  public AuditLog behind(AuditLog own) {
    return events -> {
      boolean isWritten = own.write(events);
      courier.ring();
      return isWritten;
    };
  }

  @Override
  public AuditTrail trail(AuditTrail own) {
    return new SqlAuditTrail(place.database(), shipment, own, place.scheduler(), place.warnings());
  }

  @Override
  public AuditDays days(AuditDays own, boolean isForAll) {
    return new SqlAuditDays(place.database(), shipment, place.pages(), own, isForAll);
  }

  @Override
  public void watch() {
    courier.watch();
  }

  @Override
  public boolean finish() {
    return courier.finish();
  }
}

package fleet.tower.audit;

/** Where events go. Writing never fails the operation that it tells of. */
public interface AuditLog {

  /** Writes one event; one that cannot be written is counted and reported, not thrown. */
  void append(AuditEvent event);
}

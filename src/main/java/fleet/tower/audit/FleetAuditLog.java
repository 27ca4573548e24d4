package fleet.tower.audit;

/**
 * The common audit log of all hosts of a fleet. Each host writes its own log first, from which every line is copied
 * here once.
 */
public interface FleetAuditLog {

  /** A log that writes to this host's own log and triggers the copy. */
  AuditLog replicating(AuditLog own);

  /** The trail of all hosts. */
  AuditTrail trail(AuditTrail own);

  /**
   * The days with events in this log and in this host's own log, for retention in both.
   *
   * @param isForAll whether to include the events of other hosts; only for a caller that knows all open records of
   *     the fleet
   */
  AuditDays days(AuditDays own, boolean isForAll);

  /** Starts copying events that other processes of this host have written. */
  void watch();

  /** Copies the remaining events, waiting for a moment at most, and stops; false if the copy has not finished. */
  boolean finish();
}

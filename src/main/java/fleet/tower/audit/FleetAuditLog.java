package fleet.tower.audit;

/** The log that all hosts of a fleet have together. Each writes its own log first, from where every line is copied here once. */
public interface FleetAuditLog {

  /** Where this host's events go: to its own log, and from there, a moment later, to this one. */
  AuditLog behind(AuditLog own);

  /** What all hosts have written. */
  AuditTrail trail(AuditTrail own);

  /**
   * What there is of which days, here and in this host's own log, to be thrown away in both.
   *
   * @param isForAll whether what other hosts have written is thrown away too; only who knows all that is not over may do so
   */
  AuditDays days(AuditDays own, boolean isForAll);

  /** From now on copies too what other processes of this host have written and left behind. */
  void watch();

  /** Copies what is left, for a moment at most; false where the copying is stuck and goes on. Then nothing more is copied. */
  boolean finish();
}

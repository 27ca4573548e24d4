package fleet.tower.audit.sql;

/** The statements on the tables of events. */
final class AuditStatements {
  /** The key of the advisory lock on copies: "audit" in ASCII. */
  private static final long COPY_LOCK = 0x6175646974L;

  static final String POSITIONS = "SELECT page, at_byte, mark FROM audit_shipped WHERE log_id = ?";

  /**
   * Writes lines and the new position in one statement. Copies are serialized, so that a row that becomes visible
   * later has a greater sequence, and a follower misses none. It does not wait for the disk: a crash of the server
   * loses lines and position together, and the next copy starts at the old position.
   */
  static final String COPY = "WITH turn AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true),"
      + " pg_advisory_xact_lock(" + COPY_LOCK + ")),"
      + " written AS (INSERT INTO audit_events"
      + " (log_id, page, at_byte, digest, host_id, at, event, lock_name, request_id, line)"
      + " SELECT :log, :page, copied.at_byte, sha256(convert_to(copied.line, 'UTF8')), :host, copied.at,"
      + " copied.event, copied.lock_name, copied.request_id, copied.line"
      + " FROM turn, unnest(CAST(:positions AS BIGINT[]), CAST(:moments AS BIGINT[]), CAST(:events AS TEXT[]),"
      + " CAST(:locks AS TEXT[]), CAST(:requests AS TEXT[]), CAST(:lines AS TEXT[])) AS copied (at_byte, at, event, lock_name, request_id, line)"
      + " ORDER BY copied.at_byte ON CONFLICT DO NOTHING)"
      + " INSERT INTO audit_shipped (log_id, page, at_byte, mark) SELECT :log, :page, CAST(:end AS BIGINT), :mark FROM turn"
      + " ON CONFLICT (log_id, page) DO UPDATE SET at_byte = excluded.at_byte, mark = excluded.mark";

  private static final String FIRST_DAY = "SELECT CAST(FLOOR(MIN(at) / 86400000.0) AS BIGINT) FROM audit_events";

  private static final String OF_LOG = "(:log = '' OR log_id = :log)";

  /** The days since 1970 with events, each found by an index lookup. The empty log id selects all logs. */
  static final String DAYS = "WITH RECURSIVE days (day) AS (" + FIRST_DAY + " WHERE " + OF_LOG + " UNION ALL SELECT ("
      + FIRST_DAY + " WHERE at >= (day + 1) * 86400000 AND " + OF_LOG
      + ") FROM days WHERE day IS NOT NULL) SELECT day FROM days WHERE day IS NOT NULL";

  /** Deletes some events of a period; events that another process is deleting are skipped. */
  static final String PRUNE = "DELETE FROM audit_events WHERE sequence IN (SELECT sequence FROM audit_events"
      + " WHERE at >= :start AND at < :end AND " + OF_LOG
      + " ORDER BY at, sequence LIMIT :rows FOR UPDATE SKIP LOCKED)";

  /** Deletes the positions of removed pages. Takes a log id and the pages that still exist. */
  static final String FORGET_PAGES = "DELETE FROM audit_shipped WHERE log_id = ? AND page <> ALL (?)";

  static final String NEWEST_SEQUENCE = "SELECT COALESCE(MAX(sequence), 0) FROM audit_events";

  private static final String EVENTS = "SELECT sequence, host_id, at, event, lock_name, request_id, line"
      + " FROM audit_events";

  private AuditStatements() {}

  /** Events that match a condition, in an order; the last placeholder is the maximum number. */
  static String events(String condition, String order) {
    return EVENTS + (condition.isEmpty() ? "" : " WHERE " + condition) + " ORDER BY " + order + " LIMIT ?";
  }
}

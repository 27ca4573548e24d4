package fleet.tower.audit.sql;

/** What is asked of the database about events. */
final class Statements {
  /** Nobody else has it for something else: "audit" in ASCII. */
  private static final long TURN = 0x6175646974L;

  static final String SHIPPED = "SELECT page, at_byte, mark FROM audit_shipped WHERE log_id = ?";

  /**
   * One statement: lines, and how far the page is copied now. Who copies does so one after the other, so that a row which becomes
   * visible later has a greater sequence, and a follower misses none. It waits for no disk: a crash of the server takes
   * the lines together with the place, and whoever copies next begins at the place.
   */
  static final String SHIP = "WITH turn AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true),"
      + " pg_advisory_xact_lock(" + TURN + ")),"
      + " written AS (INSERT INTO audit_events"
      + " (log_id, page, at_byte, digest, host_id, at, event, lock_name, request_id, line)"
      + " SELECT ?, ?, told.at_byte, sha256(convert_to(told.line, 'UTF8')), ?, told.at, told.event, told.lock_name,"
      + " told.request_id, told.line"
      + " FROM turn, unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),"
      + " CAST(? AS TEXT[]), CAST(? AS TEXT[])) AS told (at_byte, at, event, lock_name, request_id, line)"
      + " ORDER BY told.at_byte ON CONFLICT DO NOTHING)"
      + " INSERT INTO audit_shipped (log_id, page, at_byte, mark) SELECT ?, ?, CAST(? AS BIGINT), ? FROM turn"
      + " ON CONFLICT (log_id, page) DO UPDATE SET at_byte = excluded.at_byte, mark = excluded.mark";

  private static final String FIRST_DAY = "SELECT CAST(FLOOR(MIN(at) / 86400000.0) AS BIGINT) FROM audit_events";

  private static final String OF_LOG = "(? = '' OR log_id = ?)";

  /**
   * The days since 1970 that there are events of, each found by a look at the index. Takes a log four times; the empty one is all
   * of them.
   */
  static final String DAYS = "WITH RECURSIVE days (day) AS (" + FIRST_DAY + " WHERE " + OF_LOG + " UNION ALL SELECT ("
      + FIRST_DAY + " WHERE at >= (day + 1) * 86400000 AND " + OF_LOG
      + ") FROM days WHERE day IS NOT NULL) SELECT day FROM days WHERE day IS NOT NULL";

  /**
   * Throws away some events from a moment to another. Takes both, a log twice, and how many at most; those that somebody else is
   * throwing away are left to him.
   */
  static final String PRUNE = "DELETE FROM audit_events WHERE sequence IN (SELECT sequence FROM audit_events"
      + " WHERE at >= ? AND at < ? AND " + OF_LOG + " ORDER BY at, sequence LIMIT ? FOR UPDATE SKIP LOCKED)";

  /** Takes a log and the pages that it still has: how far others of it were copied matters to nobody any more. */
  static final String FORGET_PAGES = "DELETE FROM audit_shipped WHERE log_id = ? AND page <> ALL (?)";

  static final String NEWEST_SEQUENCE = "SELECT COALESCE(MAX(sequence), 0) FROM audit_events";

  private static final String EVENTS = "SELECT sequence, host_id, at, event, lock_name, request_id, line"
      + " FROM audit_events";

  private Statements() {}

  /** Events that fulfil a condition, in an order; the last mark is how many at most. */
  static String events(String condition, String order) {
    return EVENTS + (condition.isEmpty() ? "" : " WHERE " + condition) + " ORDER BY " + order + " LIMIT ?";
  }
}

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

  static final String NEWEST_SEQUENCE = "SELECT COALESCE(MAX(sequence), 0) FROM audit_events";

  private static final String EVENTS = "SELECT sequence, host_id, at, event, lock_name, request_id, line"
      + " FROM audit_events";

  private Statements() {}

  /** Events that fulfil a condition, in an order; the last mark is how many at most. */
  static String events(String condition, String order) {
    return EVENTS + (condition.isEmpty() ? "" : " WHERE " + condition) + " ORDER BY " + order + " LIMIT ?";
  }
}

package fleet.tower.lock.queue.sql;

import fleet.tower.lock.queue.WaitQueue;

/** The statements on the table of those who wait. */
final class Statements {
  private Statements() {}

  /** On this the names are told that may be free, or whose line has become shorter. */
  static final String LISTEN = "LISTEN tower_locks";

  /** A session counts as long as this lock is held, which ends with its connection, however that ends. */
  static final String LIVE = "SELECT pg_advisory_lock(?)";

  /** Those whose lock can be had are dead. Takes the name. */
  private static final String DEAD = "WITH present AS MATERIALIZED (SELECT DISTINCT session FROM lock_waiters"
      + " WHERE name = ?), dead AS MATERIALIZED (SELECT session FROM present WHERE pg_try_advisory_xact_lock_shared(session))";

  private static final String LIVING = "(SELECT COUNT(*) FROM lock_waiters w WHERE w.name = ?"
      + " AND w.session NOT IN (SELECT session FROM dead))";

  /** Takes the name; the name, the session, the request; the name. */
  static final String JOIN = DEAD + " INSERT INTO lock_waiters (name, session, request_id) SELECT CAST(? AS VARCHAR),"
      + " CAST(? AS BIGINT), CAST(? AS VARCHAR) WHERE " + LIVING + " < " + WaitQueue.LIMIT + " RETURNING sequence";

  /** Takes a place again that others have cleared away. Takes the sequence, the name, the session, the request. */
  static final String JOIN_AGAIN = "INSERT INTO lock_waiters (sequence, name, session, request_id) VALUES (?, ?, ?, ?)"
      + " ON CONFLICT (sequence) DO NOTHING";

  /** Takes the name twice. */
  static final String LENGTH = DEAD + " SELECT " + LIVING;

  /** Takes the name twice. */
  static final String SWEEP = DEAD
      + " DELETE FROM lock_waiters w USING dead WHERE w.name = ? AND w.session = dead.session";

  static final String LOOK = "SELECT sequence, session FROM lock_waiters WHERE name = ? ORDER BY sequence";

  /** Tells those behind, if there are any. Takes the sequence. */
  static final String LEAVE = "WITH gone AS (DELETE FROM lock_waiters WHERE sequence = ? RETURNING name, sequence),"
      + " told AS MATERIALIZED (SELECT pg_notify('tower_locks', gone.name) FROM gone WHERE EXISTS"
      + " (SELECT 1 FROM lock_waiters w WHERE w.name = gone.name AND w.sequence > gone.sequence))"
      + " SELECT COUNT(*) FROM told";

  /** Takes the session now, and the one before. */
  static final String MOVE = "UPDATE lock_waiters SET session = ? WHERE session = ?";
}

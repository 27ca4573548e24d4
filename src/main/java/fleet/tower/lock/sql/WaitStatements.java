package fleet.tower.lock.sql;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.sql.NamedValues;

/** The statements on the table of waiters. */
final class WaitStatements {
  private WaitStatements() {}

  /** The channel with the names that may be free, or whose queue is shorter. */
  static final String LISTEN = "LISTEN tower_locks";

  /** A session counts while this lock is held; it ends with the connection. */
  static final String LIVE = "SELECT pg_advisory_lock(?)";

  private static final String NOW = "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)";

  /**
   * The sessions whose lock is available are dead, and those of executors that count as dead: the connection of a
   * stopped process stays open.
   */
  private static final String DEAD = "WITH present AS MATERIALIZED (SELECT DISTINCT session, executor FROM lock_waiters"
      + " WHERE name = :name), dead AS MATERIALIZED (SELECT session FROM present"
      + " WHERE EXISTS (SELECT 1 FROM executors e WHERE e.id = present.executor AND e.alive_until <= " + NOW + ")"
      + " OR pg_try_advisory_xact_lock_shared(session))";

  private static final String LIVING_ROWS = " FROM lock_waiters w WHERE w.name = :name"
      + " AND w.session NOT IN (SELECT session FROM dead)";

  private static final String LIVING = "(SELECT COUNT(*)" + LIVING_ROWS + ")";

  static final String JOIN = DEAD + " INSERT INTO lock_waiters (name, session, executor, request_id, actor, intent)"
      + " SELECT CAST(:name AS VARCHAR), CAST(:session AS BIGINT), CAST(:executor AS VARCHAR),"
      + " CAST(:request_id AS VARCHAR), CAST(:actor AS TEXT), CAST(:intent AS TEXT) WHERE " + LIVING + " < "
      + WaitQueue.LIMIT + " RETURNING sequence, since";

  /** Restores a place that others removed. */
  static final String JOIN_AGAIN = NamedValues.insertion("lock_waiters",
      "sequence, name, session, executor, request_id, actor, intent, since") + " ON CONFLICT (sequence) DO NOTHING";

  static final String LENGTH = DEAD + " SELECT " + LIVING;

  static final String NAMES = "SELECT DISTINCT name FROM lock_waiters";

  static final String LIST = DEAD + " SELECT w.request_id, w.actor, w.intent, w.since" + LIVING_ROWS
      + " ORDER BY w.sequence";

  static final String SWEEP = DEAD
      + " DELETE FROM lock_waiters w USING dead WHERE w.name = :name AND w.session = dead.session";

  static final String LOOK = "SELECT sequence, session FROM lock_waiters WHERE name = ? ORDER BY sequence";

  /** Notifies later waiters, if any. Parameter: the sequence. */
  static final String LEAVE = "WITH gone AS (DELETE FROM lock_waiters WHERE sequence = ? RETURNING name, sequence),"
      + " notified AS MATERIALIZED (SELECT pg_notify('tower_locks', gone.name) FROM gone WHERE EXISTS"
      + " (SELECT 1 FROM lock_waiters w WHERE w.name = gone.name AND w.sequence > gone.sequence))"
      + " SELECT COUNT(*) FROM notified";

  /** Parameters: the current session and the previous one. */
  static final String MOVE = "UPDATE lock_waiters SET session = ? WHERE session = ?";
}

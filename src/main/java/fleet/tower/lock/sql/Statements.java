package fleet.tower.lock.sql;

/**
 * The statements on the table of locks. What must hold for a change stands in its condition, so each is a comparison and a
 * setting in one; times are the server's.
 *
 * <p>A token is the server's timeline and a counter, twelve digits of it: after a failover, which begins a new timeline, every
 * token is greater than all that the server before it has given out, also those that were lost with it.
 */
final class Statements {
  private Statements() {}

  /** Tells those who wait that a name may be free; its parameter is the name. */
  static final String CHANNEL = "tower_locks";

  /** One moment for a whole statement. It is read before a statement waits for a row, which takes nothing from anybody. */
  private static final String CLOCK = "WITH clock AS MATERIALIZED"
      + " (SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT) AS now)";
  private static final String NOW = "(SELECT now FROM clock)";

  /** What all tokens of the server's timeline are greater than: nothing for the first. */
  private static final String TIMELINE = "(CAST(CAST('x' || SUBSTR(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS BIT(32))"
      + " AS BIGINT) - 1) * 1000000000000";

  private static final String OURS = "l.lock_version = 'v1'";
  private static final String FREEZES = "l.freeze_request_id IS NOT NULL AND " + NOW
      + " <= l.freeze_created_at + l.freeze_ttl_seconds";
  private static final String IS_FREE = OURS + " AND l.request_id IS NULL AND NOT (" + FREEZES + ")";

  /** All of a lease but what its owner knows already. */
  private static final String TENURE = "l.token, l.actor, l.intent, l.intent_version, l.host_id, l.pid, l.created_at,"
      + " l.last_heartbeat_at, l.ttl_seconds, l.metadata, " + NOW + " AS now";
  private static final String LEASE = "l.name, l.lock_version, l.request_id, " + TENURE;
  private static final String FREEZE = "l.freeze_request_id, l.freeze_actor, l.freeze_reason, l.freeze_on_behalf_of,"
      + " l.freeze_created_at,"
      + " l.freeze_ttl_seconds, " + FREEZES + " AS is_frozen";

  /** Tells those who wait; where nobody does, no notice makes this commit queue with all others that have one. */
  private static final String TELL = ", CASE WHEN EXISTS (SELECT 1 FROM lock_waiters w WHERE w.name = l.name)"
      + " THEN CAST(pg_notify('" + CHANNEL + "', l.name) AS TEXT) END";

  private static final String LOOK_AT = CLOCK + " SELECT " + LEASE + ", " + FREEZE + " FROM locks l WHERE ";

  static final String LOOK = LOOK_AT + "l.name = ?";

  /** Takes an array of names. */
  static final String LOOK_AT_SOME = LOOK_AT + "l.name = ANY(?)";

  static final String LIST = LOOK_AT + "l.request_id IS NOT NULL OR l.lock_version <> 'v1' OR (" + FREEZES
      + ") ORDER BY l.name COLLATE \"C\"";

  /** The row as it stands, and what to know it by again. */
  static final String LOOK_AT_ALL_OF_IT = LOOK_AT.replace(" FROM locks l", ", CAST(l AS TEXT) AS whole FROM locks l")
      + "l.name = ?";

  private static final String WRITTEN = " RETURNING l.token, l.created_at";

  /** Writes a tenure into a row that stands there; an update writes half of what an insert does that meets the row. */
  private static final String GIVE = CLOCK + " UPDATE locks l SET token = GREATEST(l.token + 1, " + TIMELINE + " + 1),"
      + " written_by = ?, request_id = ?, actor = ?, intent = ?, intent_version = ?, host_id = ?, pid = ?,"
      + " ttl_seconds = ?, metadata = ?, created_at = " + NOW + ", last_heartbeat_at = " + NOW
      + " WHERE l.name = ? AND ";

  /**
   * Gives a name that is free and was had before. A refusal is seen in the statement's snapshot, so it touches no row and waits
   * for no disk. Takes the call, the request, the actor, the intent and its version, the host, the pid, the ttl, the metadata; the
   * name.
   */
  static final String TAKE = GIVE + IS_FREE + WRITTEN;

  /** Gives a name that nobody ever had; gives nothing where another was faster. Takes what {@link #TAKE} takes. */
  static final String CREATE = CLOCK
      + " INSERT INTO locks AS l (token, lock_version, written_by, request_id, actor, intent,"
      + " intent_version, host_id, pid, ttl_seconds, metadata, created_at, last_heartbeat_at, name) SELECT " + TIMELINE
      + " + 1, 'v1', CAST(? AS VARCHAR), CAST(? AS VARCHAR), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),"
      + " CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS TEXT), " + NOW + ", " + NOW
      + ", CAST(? AS VARCHAR) ON CONFLICT (name) DO NOTHING" + WRITTEN;

  /**
   * Gives a name to another, as long as the very lease stands there that was judged, and is stale still. Takes what
   * {@link #TAKE} takes; the request, the token and the heartbeat of that lease.
   */
  static final String STEAL = GIVE + OURS + " AND l.request_id = ? AND l.token = ? AND l.last_heartbeat_at = ? AND "
      + NOW
      + " > l.last_heartbeat_at + l.ttl_seconds AND NOT (" + FREEZES + ")" + WRITTEN;

  /** Takes back what a call has written. Takes the name and the call. */
  static final String WITHDRAW = freeing("", "name = ? AND written_by = ? AND request_id IS NOT NULL");

  /** Takes the name, the request, the actor, null for any, and the token, 0 for any. */
  static final String RELEASE = freeing("", "name = ? AND request_id = ? AND COALESCE(CAST(? AS TEXT), actor) = actor"
      + " AND CAST(? AS BIGINT) IN (0, token) AND lock_version = 'v1'");

  /** Takes the name, and the row as it was seen. */
  static final String FORCE_RELEASE = freeing(", lock_version = 'v1'", "name = ? AND CAST(l AS TEXT) = ?");

  private static String freeing(String and, String condition) {
    return CLOCK + " UPDATE locks l SET request_id = NULL" + and + " WHERE " + condition + " RETURNING " + TENURE
        + TELL;
  }

  /**
   * Proves for some owners that they live. A heartbeat ahead of the clock stays, unless it is so far ahead that a clock must have
   * been wrong. Takes arrays of names, requests, actors, null for any, and tokens, 0 for any; then the call that has written the tenure from now
   * on, or null to leave that as it is.
   */
  static final String RENEW = CLOCK + ", standing AS MATERIALIZED (SELECT l.name, l.last_heartbeat_at AS before"
      + " FROM locks l JOIN UNNEST(CAST(? AS TEXT[]), CAST(? AS TEXT[]), CAST(? AS TEXT[]),"
      + " CAST(? AS BIGINT[])) AS asked (name, request_id, actor, token) ON l.name = asked.name"
      + " AND l.request_id = asked.request_id AND COALESCE(asked.actor, l.actor) = l.actor"
      + " AND asked.token IN (0, l.token) AND " + OURS + " ORDER BY l.name FOR UPDATE OF l)"
      + " UPDATE locks l SET written_by = COALESCE(CAST(? AS VARCHAR), l.written_by), last_heartbeat_at ="
      + " CASE WHEN before > " + NOW + " AND before <= " + NOW + " + 60 THEN before ELSE " + NOW
      + " END FROM standing WHERE l.name = standing.name RETURNING " + LEASE + ", before";

  /** Takes the name, the request, the actor, for whom, the reason, the ttl. */
  static final String FREEZE_NAME = CLOCK + " INSERT INTO locks AS l (name, token, lock_version, freeze_request_id,"
      + " freeze_actor, freeze_on_behalf_of, freeze_reason, freeze_ttl_seconds, freeze_created_at) SELECT CAST(? AS VARCHAR), 0, 'v1',"
      + " CAST(? AS VARCHAR), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), " + NOW
      + " ON CONFLICT (name) DO UPDATE SET freeze_request_id = EXCLUDED.freeze_request_id,"
      + " freeze_actor = EXCLUDED.freeze_actor, freeze_on_behalf_of = EXCLUDED.freeze_on_behalf_of, freeze_reason = EXCLUDED.freeze_reason,"
      + " freeze_created_at = EXCLUDED.freeze_created_at, freeze_ttl_seconds = EXCLUDED.freeze_ttl_seconds WHERE NOT ("
      + FREEZES + ") RETURNING l.freeze_created_at";

  /** Takes the name, and the request of the freeze that was seen. */
  static final String UNFREEZE = CLOCK + " UPDATE locks l SET freeze_request_id = NULL WHERE l.name = ?"
      + " AND l.freeze_request_id = ? RETURNING " + NOW + " AS now" + TELL;
}

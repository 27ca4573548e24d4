package fleet.tower.lock.sql;

import fleet.tower.lease.Lease;
import fleet.tower.lock.AcquireRequest;

/**
 * The statements on the table of locks. The precondition of each change is in its WHERE clause, so each statement
 * compares and sets atomically; times are the server's.
 *
 * <p>A token is the server's timeline, which is at least 1, and a counter of twelve digits. A failover begins a new
 * timeline, so every later token is greater than all tokens of the previous server, including lost ones. The first
 * timeline is above all tokens that a home's files have counted. So a name that has no row, because the home that moved
 * here had removed its files, begins above its old tokens.
 */
final class LockStatements {
  private LockStatements() {}

  /** The channel that notifies waiters that a name may be free; its payload is the name. */
  static final String CHANNEL = "tower_locks";

  /** One time for the complete statement. It is read before the statement waits for a row. */
  private static final String CLOCK = "WITH clock AS MATERIALIZED"
      + " (SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp())) AS BIGINT) AS now)";
  private static final String NOW = "(SELECT now FROM clock)";

  /** The lower bound of all tokens of the server's timeline. */
  private static final String TIMELINE = "CAST(CAST('x' || SUBSTR(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"
      + " AS BIT(32)) AS BIGINT) * 1000000000000";

  /** Whether a run holds the lease; {@link AcquireRequest.Metadata#ofRun} puts the mark first. */
  private static final String IS_OF_RUN = "starts_with(l.metadata, '{\"" + Lease.HELD_FOR + "\":\"" + Lease.RUN
      + "\"')";

  private static final String SUPPORTED = "l.lock_version = 'v1'";
  private static final String FREEZES = "l.freeze_request_id IS NOT NULL AND " + NOW
      + " <= l.freeze_created_at + l.freeze_ttl_seconds";
  private static final String IS_FREE = SUPPORTED + " AND l.request_id IS NULL AND NOT (" + FREEZES + ")";

  /** All columns of a lease except those its owner knows. */
  private static final String GRANT_COLUMNS = "l.token, l.actor, l.intent, l.intent_version, l.host_id, l.pid,"
      + " l.created_at, l.last_heartbeat_at, l.ttl_seconds, l.metadata, " + NOW + " AS now";
  private static final String LEASE = "l.name, l.lock_version, l.request_id, " + GRANT_COLUMNS;
  private static final String FREEZE = "l.freeze_request_id, l.freeze_actor, l.freeze_reason, l.freeze_on_behalf_of,"
      + " l.freeze_created_at,"
      + " l.freeze_ttl_seconds, " + FREEZES + " AS is_frozen";

  /**
   * Notifies waiters. Without waiters it sends nothing, because a notification would serialise this commit with all
   * others that send one.
   */
  private static final String NOTIFY = ", CASE WHEN EXISTS (SELECT 1 FROM lock_waiters w WHERE w.name = l.name)"
      + " THEN CAST(pg_notify('" + CHANNEL + "', l.name) AS TEXT) END";

  private static final String SELECT = CLOCK + " SELECT " + LEASE + ", " + FREEZE
      + ", (SELECT version FROM halt_changes) AS halts_version FROM locks l WHERE ";

  static final String FIND = SELECT + "l.name = ?";

  /** Parameter: an array of names. */
  static final String FIND_SOME = SELECT + "l.name = ANY(?)";

  /** Takes the text after which the names begin, and the maximum number of rows. */
  static final String LIST = SELECT + "(l.request_id IS NOT NULL OR l.lock_version <> 'v1' OR (" + FREEZES
      + ")) AND l.name COLLATE \"C\" > ? ORDER BY l.name COLLATE \"C\" LIMIT ?";

  /** The row, and its text, to recognise it by. */
  static final String FIND_WITH_TEXT = SELECT.replace(" FROM locks l", ", CAST(l AS TEXT) AS whole FROM locks l")
      + "l.name = ?";

  /** Whether the halts are still those by which the request was judged; see {@link SqlHalts}. */
  private static final String SAME_HALTS = "halts_version() = :halts";
  private static final String WRITTEN = " RETURNING l.token, l.created_at";

  /** Writes a grant into an existing row; an update writes half as much as an insert with a conflict. */
  private static final String GRANT = CLOCK + " UPDATE locks l SET token = GREATEST(l.token + 1, " + TIMELINE + " + 1),"
      + " written_by = :call, request_id = :request, actor = :actor, intent = :intent,"
      + " intent_version = :intent_version, host_id = :host, pid = :pid, ttl_seconds = :ttl, metadata = :metadata,"
      + " created_at = " + NOW + ", last_heartbeat_at = " + NOW + " WHERE l.name = :name AND ";

  /**
   * Grants a free name that has a row. A refusal is decided in the statement's snapshot, so it locks no row and waits
   * for no disk.
   */
  static final String TAKE = GRANT + IS_FREE + " AND " + SAME_HALTS + WRITTEN;

  /** Grants a name without a row; grants nothing if another call was faster. */
  static final String CREATE = CLOCK
      + " INSERT INTO locks AS l (token, lock_version, written_by, request_id, actor, intent,"
      + " intent_version, host_id, pid, ttl_seconds, metadata, created_at, last_heartbeat_at, name) SELECT " + TIMELINE
      + " + 1, 'v1', CAST(:call AS VARCHAR), CAST(:request AS VARCHAR), CAST(:actor AS TEXT), CAST(:intent AS TEXT),"
      + " CAST(:intent_version AS TEXT), CAST(:host AS TEXT), CAST(:pid AS BIGINT), CAST(:ttl AS BIGINT),"
      + " CAST(:metadata AS TEXT), " + NOW + ", " + NOW + ", CAST(:name AS VARCHAR) WHERE " + SAME_HALTS
      + " ON CONFLICT (name) DO NOTHING"
      + WRITTEN;

  /** Grants a name whose lease is still the one that was judged, and still stale. */
  static final String STEAL = GRANT + SUPPORTED + " AND l.request_id = :judged_request AND l.token = :judged_token"
      + " AND l.last_heartbeat_at = :judged_heartbeat"
      + " AND " + NOW + " > l.last_heartbeat_at + l.ttl_seconds AND NOT (" + FREEZES + ") AND " + SAME_HALTS + WRITTEN;

  /** One transaction at a time counts locks and grants one: "counts" in ASCII. */
  static final String COUNT_ALONE = "SELECT pg_advisory_xact_lock(109330362692723)";

  /** Withdraws a call's grant. Parameters: the name and the call. */
  static final String WITHDRAW = freeing("", "name = ? AND written_by = ? AND request_id IS NOT NULL");

  /** Null is any actor, 0 any token. */
  static final String RELEASE = freeing("", "name = :name AND request_id = :request"
      + " AND COALESCE(CAST(:actor AS TEXT), actor) = actor AND CAST(:token AS BIGINT) IN (0, token)"
      + " AND " + IS_OF_RUN + " = :is_of_run AND lock_version = 'v1'");

  /** Parameters: the name, and the row's text as it was read. */
  static final String FORCE_RELEASE = freeing(", lock_version = 'v1'", "name = ? AND CAST(l AS TEXT) = ?");

  private static String freeing(String and, String condition) {
    return CLOCK + " UPDATE locks l SET request_id = NULL" + and + " WHERE " + condition + " RETURNING " + GRANT_COLUMNS
        + NOTIFY;
  }

  /**
   * Renews several leases. A heartbeat ahead of the clock stays, unless it is so far ahead that a clock must have been
   * wrong. Null is any actor, 0 any token, and a null call keeps the writer of the grants.
   */
  static final String RENEW = CLOCK + ", existing AS MATERIALIZED (SELECT l.name, l.last_heartbeat_at AS before"
      + " FROM locks l JOIN UNNEST(CAST(:names AS TEXT[]), CAST(:requests AS TEXT[]), CAST(:actors AS TEXT[]),"
      + " CAST(:tokens AS BIGINT[]), CAST(:are_of_runs AS BOOLEAN[])) AS asked (name, request_id, actor, token, is_of_run)"
      + " ON l.name = asked.name"
      + " AND l.request_id = asked.request_id AND COALESCE(asked.actor, l.actor) = l.actor"
      + " AND asked.token IN (0, l.token) AND asked.is_of_run = " + IS_OF_RUN + " AND " + SUPPORTED
      + " ORDER BY l.name FOR UPDATE OF l)"
      + " UPDATE locks l SET written_by = COALESCE(CAST(:call AS VARCHAR), l.written_by), last_heartbeat_at ="
      + " CASE WHEN before > " + NOW + " AND before <= " + NOW + " + 60 THEN before ELSE " + NOW
      + " END FROM existing WHERE l.name = existing.name RETURNING " + LEASE + ", before";

  static final String FREEZE_NAME = CLOCK + " INSERT INTO locks AS l (name, token, lock_version, freeze_request_id,"
      + " freeze_actor, freeze_on_behalf_of, freeze_reason, freeze_ttl_seconds, freeze_created_at)"
      + " SELECT CAST(:name AS VARCHAR), 0, 'v1', CAST(:request AS VARCHAR), CAST(:actor AS TEXT),"
      + " CAST(:on_behalf_of AS TEXT), CAST(:reason AS TEXT), CAST(:ttl AS BIGINT), " + NOW
      + " ON CONFLICT (name) DO UPDATE SET freeze_request_id = EXCLUDED.freeze_request_id,"
      + " freeze_actor = EXCLUDED.freeze_actor, freeze_on_behalf_of = EXCLUDED.freeze_on_behalf_of,"
      + " freeze_reason = EXCLUDED.freeze_reason,"
      + " freeze_created_at = EXCLUDED.freeze_created_at, freeze_ttl_seconds = EXCLUDED.freeze_ttl_seconds WHERE NOT ("
      + FREEZES + ") RETURNING l.freeze_created_at";

  /** Parameters: the name, and the request of the freeze that was read. */
  static final String UNFREEZE = CLOCK + " UPDATE locks l SET freeze_request_id = NULL WHERE l.name = ?"
      + " AND l.freeze_request_id = ? RETURNING " + NOW + " AS now" + NOTIFY;
}

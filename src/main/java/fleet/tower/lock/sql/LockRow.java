package fleet.tower.lock.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireRequest.Metadata;
import fleet.tower.lock.FreezeRequest;
import fleet.tower.lock.FreezeState;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;

/**
 * The row of a lock name at one point in time; its content is not trusted.
 *
 * @param haltsVersion the number of the halts at that time
 */
record LockRow(LeaseName name, LeaseState state, FreezeState freeze, Instant seenAt, long haltsVersion) {
  private static final String VERSION = "v1";
  private static final String EMPTY = "{}";
  private static final String TOKEN_FIRST = "{\"" + Metadata.TOKEN + "\":";

  /** The state of a name that has no row. */
  static LockRow vacant(LeaseName name) {
    return new LockRow(name, new LeaseState.Vacant(), new FreezeState.None(), Instant.EPOCH, SqlHalts.UNKNOWN);
  }

  /** @param path the row's address, for messages */
  static LockRow read(ResultSet row, String path) throws SQLException {
    LeaseName name = new LeaseName(row.getString("name"));
    return new LockRow(name, state(row, name), freeze(row, name, path), now(row),
        row.getLong("halts_version"));
  }

  private static LeaseState state(ResultSet row, LeaseName name) throws SQLException {
    String version = row.getString("lock_version");
    if (!version.equals(VERSION)) {
      return new LeaseState.Unsupported(version);
    }
    String requestId = row.getString("request_id");
    if (requestId == null) {
      return new LeaseState.Vacant();
    }
    try {
      Lease lease = lease(row, name, new RequestId(requestId));
      return lease.token().hasNext()
          ? new LeaseState.Held(lease, Age.between(lease.lastHeartbeatAt(), now(row)))
          : new LeaseState.Corrupt("fencing token " + lease.token() + " has no successor for the next holder");
    } catch (InvalidValue e) {
      return new LeaseState.Corrupt(e.problem());
    }
  }

  private static Lease lease(ResultSet row, LeaseName name, RequestId requestId) throws SQLException {
    Holder holder = new Holder(row.getString("actor"), row.getString("intent"), row.getString("intent_version"),
        row.getString("host_id"), row.getLong("pid"), false);
    FencingToken token = new FencingToken(row.getLong("token"));
    return new Lease(name, requestId, token, holder, moment(row, "created_at"),
        moment(row, "last_heartbeat_at"), new Ttl(row.getLong("ttl_seconds")),
        withToken(row.getString("metadata"), token));
  }

  /**
   * The row's current or last lease, held by a request that has just renewed or released it; null if it is not
   * readable.
   */
  static @Nullable Lease leaseOf(RequestId by, LeaseName name, ResultSet row) throws SQLException {
    try {
      return lease(row, name, by);
    } catch (InvalidValue notALease) {
      return null;
    }
  }

  private static FreezeState freeze(ResultSet row, LeaseName name, String path) throws SQLException {
    if (!row.getBoolean("is_frozen")) {
      return new FreezeState.None();
    }
    try {
      FreezeRequest request = new FreezeRequest(name, new RequestId(row.getString("freeze_request_id")),
          row.getString("freeze_actor"), row.getString("freeze_reason"), new Ttl(row.getLong("freeze_ttl_seconds")),
          row.getString("freeze_on_behalf_of"));
      return new FreezeState.Frozen(request.from(moment(row, "freeze_created_at")));
    } catch (InvalidValue e) {
      return new FreezeState.Corrupt(path, e.problem());
    }
  }

  static Instant now(ResultSet row) throws SQLException {
    return moment(row, "now");
  }

  static Instant moment(ResultSet row, String column) throws SQLException {
    return Instant.ofEpochSecond(row.getLong(column));
  }

  /** The holder's metadata without the token, byte for byte: the token is unknown before the row is written. */
  static String withoutToken(Metadata metadata) {
    if (metadata.members().isEmpty()) {
      return EMPTY;
    }
    String rest = metadata.with(FencingToken.NONE).substring(TOKEN_FIRST.length() + 1);
    return "{" + rest.substring(1);
  }

  private static String withToken(String metadata, FencingToken token) {
    return metadata.equals(EMPTY)
        ? JsonWriter.line().put(Metadata.TOKEN, token.value()).end()
        : TOKEN_FIRST + token + "," + metadata.substring(1);
  }
}

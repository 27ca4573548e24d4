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
import fleet.tower.lock.freeze.FreezeRequest;
import fleet.tower.lock.freeze.FreezeState;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;

/** What stands under a name, as one look has found it. It was read by somebody who trusts nothing in it. */
record Row(LeaseName name, LeaseState occupancy, FreezeState frost, Instant seenAt) {
  private static final String VERSION = "v1";
  private static final String NOTHING = "{}";
  private static final String TOKEN_FIRST = "{\"" + Metadata.TOKEN + "\":";

  /** A name that nobody ever had. */
  static Row nothing(LeaseName name) {
    return new Row(name, new LeaseState.Vacant(), new FreezeState.None(), Instant.EPOCH);
  }

  /** @param path where a human finds it */
  static Row read(ResultSet row, String path) throws SQLException {
    LeaseName name = new LeaseName(row.getString("name"));
    return new Row(name, occupancy(row, name), frost(row, name, path), now(row));
  }

  private static LeaseState occupancy(ResultSet row, LeaseName name) throws SQLException {
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
          : new LeaseState.Corrupt("fencing token " + lease.token() + " leaves none for the next holder");
    } catch (InvalidValue e) {
      return new LeaseState.Corrupt(e.problem());
    }
  }

  private static Lease lease(ResultSet row, LeaseName name, RequestId requestId) throws SQLException {
    Holder holder = new Holder(row.getString("actor"), row.getString("intent"), row.getString("intent_version"),
        row.getString("host_id"), row.getLong("pid"));
    FencingToken token = new FencingToken(row.getLong("token"));
    return new Lease(name, requestId, token, holder, moment(row, "created_at"),
        moment(row, "last_heartbeat_at"), new Ttl(row.getLong("ttl_seconds")),
        withToken(row.getString("metadata"), token));
  }

  /** The lease whose row this is or was last, held by somebody who has just renewed it or given it back; null where it cannot be read. */
  static @Nullable Lease leaseOf(RequestId by, LeaseName name, ResultSet row) throws SQLException {
    try {
      return lease(row, name, by);
    } catch (InvalidValue notALease) {
      return null;
    }
  }

  private static FreezeState frost(ResultSet row, LeaseName name, String path) throws SQLException {
    if (!row.getBoolean("is_frozen")) {
      return new FreezeState.None();
    }
    try {
      FreezeRequest request = new FreezeRequest(name, new RequestId(row.getString("freeze_request_id")),
          row.getString("freeze_actor"), row.getString("freeze_reason"), new Ttl(row.getLong("freeze_ttl_seconds")),
          row.getString("freeze_on_behalf_of"));
      return new FreezeState.Frozen(request.from(moment(row, "freeze_created_at")));
    } catch (InvalidValue e) {
      return new FreezeState.Unreadable(path, e.problem());
    }
  }

  static Instant now(ResultSet row) throws SQLException {
    return moment(row, "now");
  }

  static Instant moment(ResultSet row, String column) throws SQLException {
    return Instant.ofEpochSecond(row.getLong(column));
  }

  /** What a holder wants readers to know, to be kept byte for byte: the token is not known before the row is written. */
  static String withoutToken(Metadata metadata) {
    if (metadata.members().isEmpty()) {
      return NOTHING;
    }
    String rest = metadata.with(FencingToken.NONE).substring(TOKEN_FIRST.length() + 1);
    return "{" + rest.substring(1);
  }

  private static String withToken(String metadata, FencingToken token) {
    return metadata.equals(NOTHING)
        ? JsonWriter.line().put(Metadata.TOKEN, token.value()).end()
        : TOKEN_FIRST + token + "," + metadata.substring(1);
  }
}

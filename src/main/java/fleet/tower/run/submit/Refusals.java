package fleet.tower.run.submit;

import java.time.Instant;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignLockState.Occupant;
import fleet.tower.foreign.ForeignName;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.RefusalNames;
import fleet.tower.platform.json.JsonWriter;

/** Why a run that waited did not begin, in the form that run records keep. */
final class Refusals {
  private Refusals() {}

  /** The intent has changed since the request was checked against it. */
  static String changed(String intent, String problem) {
    return JsonWriter.line().put("error", "intent_changed").put("intent", intent).put("problem", problem)
        .put("suggestion", "See the intent as it is now, and ask for the run anew").end();
  }

  /** The lock was refused. */
  static String refused(LeaseName name, Decision.Refusal refusal) {
    JsonWriter json = JsonWriter.line().put("error", RefusalNames.of(refusal)).put("lock_name", name.value());
    return switch (refusal) {
      case Decision.Blocked(Lease lease, Age _) -> json.put("held_by", heldBy(lease))
          .put("suggestion", "Wait for completion or use --force-lock if stale").end();
      case Decision.Stale(Lease lease, Age age) -> json.put("stale_since", lease.expiresAt())
          .put("age_seconds", age.seconds()).put("ttl_seconds", lease.ttl().seconds()).put("held_by", heldBy(lease))
          .put("suggestion", "Use --force-lock to acquire (stale lock will be logged)").end();
      case Decision.Frozen frozen -> frozen(json, frozen)
          .put("suggestion", "Wait until the freeze is over, or ask who froze it to lift it").end();
      case Decision.FrozenUnreadably(String path, String problem) -> json.put("problem", problem)
          .put("freeze_path", path)
          .put("suggestion", "Look at it; if nobody wants it frozen, use unfreeze").end();
      case Decision.Unreadable(String problem) -> json.put("problem", problem)
          .put("suggestion", "Look at it; if nobody holds it, use force-release with a reason").end();
      case Decision.Newer(String version) -> json.put("lock_version", version)
          .put("suggestion", "Upgrade this program; or, if nobody holds it, use force-release with a reason").end();
    };
  }

  /** The wait for the lock timed out. */
  static String timeout(LeaseName name, Decision.Obstacle obstacle) {
    JsonWriter json = JsonWriter.line().put("error", "lock_wait_timeout").put("lock_name", name.value());
    return switch (obstacle) {
      case Decision.Blocked blocked -> json.put("held_by", heldBy(blocked.lease())).put("suggestion",
          "Wait longer, or ask its holder").end();
      case Decision.Frozen frozen -> frozen(json, frozen).put("suggestion", "Wait longer, or ask who froze it").end();
    };
  }

  private static JsonWriter frozen(JsonWriter json, Decision.Frozen frozen) {
    return json.put("frozen_by", frozen.actor()).put("reason", frozen.reason()).put("created_at", frozen.since())
        .put("expires_at", frozen.until());
  }

  private static JsonWriter heldBy(Lease lease) {
    Holder holder = lease.holder();
    return JsonWriter.line().put("request_id", lease.requestId().value()).put("actor", holder.actor())
        .put("intent", holder.intent()).put("created_at", lease.createdAt())
        .put("last_heartbeat_at", lease.lastHeartbeatAt()).put("host_id", holder.hostId()).put("pid", holder.pid());
  }

  /** A foreign lock is held. */
  static String foreign(ForeignLock.Refusal refusal) {
    ForeignName name = refusal.name();
    JsonWriter json = JsonWriter.line().put("error", "foreign_lock").put("foreign_lock", name.toString());
    return switch (refusal.why()) {
      case ForeignLockState.Held(Occupant occupant) -> json.put("holder", occupant.holder())
          .put("held_by", heldBy(occupant)).put("suggestion", suggestion(name)).end();
      case ForeignLockState.Doubtful(String problem, String holder) -> json.put("holder", holder)
          .put("problem", problem)
          .put("held_by", holder == null ? null : JsonWriter.line().put("holder", holder))
          .put("suggestion", "Look at " + name.path() + "; what lies there has to be mended or removed by hand").end();
    };
  }

  private static JsonWriter heldBy(Occupant occupant) {
    JsonWriter json = JsonWriter.line().put("holder", occupant.holder());
    if (occupant.pid() != 0) {
      json.put("pid", occupant.pid());
    }
    if (!occupant.host().isEmpty()) {
      json.put("hostname", occupant.host());
    }
    Instant since = occupant.since();
    return since == null ? json : json.put("started_at", since);
  }

  private static String suggestion(ForeignName name) {
    return switch (name.kind()) {
      case BEADS -> "Wait until it is given back; if its holder is on another host and gone, remove " + name.path()
          + "/.exclusive-lock by hand";
      case FLOCK, PIDFILE -> "Wait until its holder is done";
      case TERRAFORM -> "Wait until Terraform is done; if it was killed, use `terraform force-unlock`";
    };
  }

  /** The storage of locks is not available. */
  static String unavailable(LeaseName name, String problem) {
    return JsonWriter.line().put("error", "storage_unavailable").put("lock_name", name.value())
        .put("problem", problem).put("suggestion", "See `tower doctor`").end();
  }

  /** The lock has as many waiters as it may have. */
  static String tooMany(LeaseName name, int limit) {
    return JsonWriter.line().put("error", "too_many_waiters").put("lock_name", name.value()).put("waiters", limit)
        .put("suggestion", "Try again when fewer wait").end();
  }
}

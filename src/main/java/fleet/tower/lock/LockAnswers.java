package fleet.tower.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.json.JsonWriter;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Holder;
import fleet.tower.lease.InvalidValue;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Occupancy;
import fleet.tower.time.Timestamps;

/** The specification's own answers as JSON, the same at every door. */
public final class LockAnswers {
  /** The error code for who comes when too many wait already. */
  public static final String TOO_MANY_WAITERS = "too_many_waiters";

  private LockAnswers() {}

  /** The error code of a value that was refused. */
  public static String errorCode(InvalidValue.Kind kind) {
    return switch (kind) {
      case LOCK_NAME -> "invalid_lock_name";
      case REQUEST -> "invalid_request";
    };
  }

  /** The error code of a refusal. */
  public static String errorCode(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> "lock_blocked";
      case Decision.Stale _ -> "lock_stale";
      case Decision.Unreadable _ -> "lock_corrupt";
      case Decision.Newer _ -> "unsupported_lock_version";
    };
  }

  /** What somebody who was refused may do. */
  public static String suggestion(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> "Wait for completion or use --force-lock if stale";
      case Decision.Stale _ -> "Use --force-lock to acquire (stale lock will be logged)";
      case Decision.Unreadable _ -> "Look at the file; if nobody holds it, use force-release with a reason";
      case Decision.Newer _ -> "Upgrade this program; or, if nobody holds it, use force-release with a reason";
    };
  }

  /** The answer of sections 4.4 and 6.3, and their like for what cannot be read. */
  public static JsonWriter refusal(LeaseName name, Decision.Refusal refusal) {
    return refusal(name, refusal, errorCode(refusal));
  }

  /** The same answer under another code, to somebody who was refused for more than that. */
  public static JsonWriter refusal(LeaseName name, Decision.Refusal refusal, String error) {
    JsonWriter answer = JsonWriter.line().put("error", error).put("lock_name", name.value());
    switch (refusal) {
      case Decision.Blocked(Lease lease, Age _) -> answer.put("held_by", heldBy(lease));
      case Decision.Stale(Lease lease, Age age) -> answer.put("stale_since", lease.expiresAt())
          .put("age_seconds", age.seconds()).put("ttl_seconds", lease.ttl().seconds()).put("held_by", heldBy(lease));
      case Decision.Unreadable(String problem) -> answer.put("problem", problem);
      case Decision.Newer(String version) -> answer.put("lock_version", version);
    }
    return answer.put("suggestion", suggestion(refusal));
  }

  /** Who holds it: everything that either of the specification's two lists has. */
  public static JsonWriter heldBy(Lease lease) {
    Holder holder = lease.holder();
    return JsonWriter.line().put("request_id", lease.requestId().value()).put("actor", holder.actor())
        .put("intent", holder.intent()).put("created_at", lease.createdAt())
        .put("last_heartbeat_at", lease.lastHeartbeatAt()).put("host_id", holder.hostId()).put("pid", holder.pid());
  }

  /** A lock record's members, in the order of the specification. */
  public static JsonWriter record(JsonWriter json, Lease lease) {
    Holder holder = lease.holder();
    return json.put("lock_version", "v1").put("lock_name", lease.name().value())
        .put("request_id", lease.requestId().value()).put("actor", holder.actor()).put("intent", holder.intent())
        .put("intent_version", holder.intentVersion()).put("host_id", holder.hostId()).put("pid", holder.pid())
        .put("created_at", lease.createdAt()).put("last_heartbeat_at", lease.lastHeartbeatAt())
        .put("ttl_seconds", lease.ttl().seconds()).raw("metadata", lease.metadata());
  }

  /** A lock as its new holder sees it; {@code displaced} tells from whom it was taken, if it was. */
  public static JsonWriter granted(Lease lease, @Nullable Displaced displaced, boolean alreadyHeld) {
    return tenure(lease).put("already_held", alreadyHeld).put("stolen", displaced != null);
  }

  /** A lock as its holder sees it after a heartbeat. */
  public static JsonWriter renewed(Lease lease, long lateSeconds) {
    return tenure(lease).put("late_by_seconds", lateSeconds);
  }

  private static JsonWriter tenure(Lease lease) {
    return record(JsonWriter.line(), lease).put(AcquireRequest.Metadata.TOKEN, lease.token().value()).put("expires_at",
        lease.expiresAt());
  }

  /** A lock that its owner has given back. */
  public static JsonWriter released(LeaseName name, Lease lease, Instant at) {
    return JsonWriter.line().put("lock_name", name.value()).put("released", true).put("held_duration_seconds",
        Math.max(0, Duration.between(lease.createdAt(), at).toSeconds()));
  }

  /** A lock that nobody held when it was to be given back. */
  public static JsonWriter notReleased(LeaseName name) {
    return JsonWriter.line().put("lock_name", name.value()).put("released", false);
  }

  /** A lock that was removed whoever held it. */
  public static JsonWriter removed(LeaseName name, Displaced displaced) {
    return JsonWriter.line().put("lock_name", name.value()).put("released", true)
        .put("previous_lock", displaced.lease() == null ? null : heldBy(displaced.lease()))
        .put("previous_lock_hash", displaced.hash());
  }

  /** A lock as somebody sees it who looks: the record, what it means now, and how many wait for it. */
  public static JsonWriter sighting(Sighting sighting, int waiters) {
    JsonWriter json = JsonWriter.line();
    switch (sighting.occupancy()) {
      case Occupancy.Held(Lease lease, Age age) -> record(json, lease).put("state", sighting.state().toString())
          .put("age_seconds", age.seconds()).put("expires_at", lease.expiresAt())
          .put("fencing_token", lease.token().value()).put("clock_skew", age.isSkewed());
      case Occupancy.Vacant() -> json.put("lock_name", sighting.name().value())
          .put("state", sighting.state().toString());
      case Occupancy.Corrupt(String problem) -> json.put("lock_name", sighting.name().value())
          .put("state", sighting.state().toString()).put("problem", problem);
      case Occupancy.Unsupported(String version) -> json.put("lock_version", version)
          .put("lock_name", sighting.name().value()).put("state", sighting.state().toString());
    }
    return json.put("waiters", waiters).put("lock_path", sighting.path());
  }

  /** One reason why a name cannot be had now, and what would help. */
  public record Reason(String type, String message, String command) {}

  /** Every reason at once why nobody new gets the lock now; none when it is free. */
  public static List<Reason> reasons(Sighting sighting, int waiters) {
    String name = sighting.name().value();
    return switch (sighting.occupancy()) {
      case Occupancy.Vacant() -> List.of();
      case Occupancy.Corrupt(String problem) -> List.of(new Reason("corrupt",
          sighting.path() + " cannot be read as a lock: " + problem, forceRelease(name)));
      case Occupancy.Unsupported(String version) -> List.of(new Reason("unsupported", sighting.path()
          + " is of lock version " + version + ", which this program does not know; upgrade it", forceRelease(name)));
      case Occupancy.Held held -> heldReasons(name, held, waiters);
    };
  }

  private static List<Reason> heldReasons(String name, Occupancy.Held held, int waiters) {
    Lease lease = held.lease();
    String holder = describe(lease);
    List<Reason> reasons = new ArrayList<>();
    if (held.isStale()) {
      reasons.add(new Reason("stale", "held by " + holder + ", whose last heartbeat was " + held.age().seconds()
          + " s ago, more than its ttl of " + lease.ttl().seconds() + " s", "tower lock " + name + " --force-lock"));
    } else {
      reasons.add(new Reason("held", "held by " + holder + ", alive " + Math.max(0, held.age().seconds()) + " s ago"
          + (waiters == 0 ? "" : "; " + waiters + " waiting for it"), "tower lock " + name + " --wait 10m"));
    }
    if (held.age().isSkewed()) {
      reasons.add(new Reason("clock_skew", "its last heartbeat lies " + -held.age().seconds()
          + " s ahead of this host's clock, so it will not go stale for that long", forceRelease(name)));
    } else if (!held.isStale() && held.age().exceedsByWallClock(lease.ttl())) {
      reasons
          .add(new Reason("clock_stepped", "this host's wall clock was stepped; by its boot clock the holder is alive",
              "tower doctor"));
    }
    return reasons;
  }

  /** A holder in a few words. */
  public static String describe(Lease lease) {
    Holder holder = lease.holder();
    return holder.actor() + " on " + holder.hostId() + " (intent " + holder.intent() + ", request " + lease.requestId()
        + ")";
  }

  /** From whom a stale lock was taken. */
  public static String taken(Lease previous) {
    return "lock " + previous.name() + " was taken from " + describe(previous) + ", last alive "
        + Timestamps.format(previous.lastHeartbeatAt());
  }

  private static String forceRelease(String name) {
    return "tower force-release " + name + " --reason TEXT";
  }
}

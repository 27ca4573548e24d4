package fleet.tower.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.freeze.FreezeJson;
import fleet.tower.lock.freeze.FreezeState;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;

/** The specification's own answers as JSON, the same at every door. */
public final class LockAnswers {
  /** The error code of a wait that was in vain. */
  public static final String WAIT_TIMEOUT = "lock_wait_timeout";
  /** The error code for who comes when too many wait already. */
  public static final String TOO_MANY_WAITERS = "too_many_waiters";

  /** The error code for who was told to wait no more. */
  public static final String WITHDRAWN = "lock_request_withdrawn";

  private LockAnswers() {}

  /** The error code of a value that was refused. */
  public static String errorCode(InvalidValue.Kind kind) {
    return switch (kind) {
      case LOCK_NAME -> "invalid_lock_name";
      case REQUEST -> "invalid_request";
      case REQUEST_ID_IN_USE -> "idempotency_mismatch";
    };
  }

  /** The error code of a refusal. */
  public static String errorCode(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> "lock_blocked";
      case Decision.Stale _ -> "lock_stale";
      case Decision.Frozen _,Decision.FrozenUnreadably _ -> "lock_frozen";
      case Decision.Unreadable _ -> "lock_corrupt";
      case Decision.Newer _ -> "unsupported_lock_version";
    };
  }

  /** What somebody who was refused may do. */
  public static String suggestion(Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked _ -> "Wait for completion or use --force-lock if stale";
      case Decision.Stale _ -> "Use --force-lock to acquire (stale lock will be logged)";
      case Decision.Frozen _ -> "Wait until the freeze is over, or ask who froze it to lift it";
      case Decision.FrozenUnreadably _ -> "Look at it; if nobody wants it frozen, use unfreeze";
      case Decision.Unreadable _ -> "Look at it; if nobody holds it, use force-release with a reason";
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
      case Decision.Frozen frozen -> frozen(answer, frozen);
      case Decision.FrozenUnreadably(String path, String problem) -> answer.put("problem", problem)
          .put("freeze_path", path);
      case Decision.Unreadable(String problem) -> answer.put("problem", problem);
      case Decision.Newer(String version) -> answer.put("lock_version", version);
    }
    return answer.put("suggestion", suggestion(refusal));
  }

  /** The same answer to somebody who has waited: {@code blocked_by} is the code of what stood in the way. */
  public static JsonWriter waitedInVain(LeaseName name, Decision.Obstacle obstacle) {
    return refusal(name, obstacle, WAIT_TIMEOUT).put("blocked_by", errorCode(obstacle));
  }

  /** Who froze it, why, and until when. */
  public static JsonWriter frozen(JsonWriter answer, Decision.Frozen frozen) {
    return answer.put("frozen_by", frozen.actor()).put("reason", frozen.reason()).put("created_at", frozen.since())
        .put("expires_at", frozen.until());
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
  public static JsonWriter granted(Lease lease, @Nullable PreviousLock displaced, boolean alreadyHeld) {
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
  public static JsonWriter removed(LeaseName name, PreviousLock displaced) {
    return JsonWriter.line().put("lock_name", name.value()).put("released", true)
        .put("previous_lock", displaced.lease() == null ? null : heldBy(displaced.lease()))
        .put("previous_lock_hash", displaced.hash());
  }

  /** A lock as somebody sees it who looks: the record, what it means now, how many wait for it, and its freeze. */
  public static JsonWriter sighting(LockView sighting, int waiters) {
    JsonWriter json = JsonWriter.line();
    switch (sighting.occupancy()) {
      case LeaseState.Held(Lease lease, Age age) -> record(json, lease).put("state", sighting.state().toString())
          .put("age_seconds", age.seconds()).put("expires_at", lease.expiresAt())
          .put("fencing_token", lease.token().value()).put("clock_skew", age.isSkewed());
      case LeaseState.Vacant() -> json.put("lock_name", sighting.name().value())
          .put("state", sighting.state().toString());
      case LeaseState.Corrupt(String problem) -> json.put("lock_name", sighting.name().value())
          .put("state", sighting.state().toString()).put("problem", problem);
      case LeaseState.Unsupported(String version) -> json.put("lock_version", version)
          .put("lock_name", sighting.name().value()).put("state", sighting.state().toString());
    }
    return json.put("waiters", waiters).put("lock_path", sighting.path()).put("frozen",
        FreezeJson.frozen(sighting.name(), sighting.frost()));
  }

  /** One reason why a name cannot be had now, and what would help. */
  public record Reason(String type, String message, String command) {}

  /** Every reason at once why nobody new gets the lock now, what binds first first; none when it is for the taking. */
  public static List<Reason> reasons(LockView sighting, int waiters) {
    List<Reason> reasons = new ArrayList<>(frozenReasons(sighting));
    reasons.addAll(holdReasons(sighting));
    if (!reasons.isEmpty() && waiters > 0) {
      reasons.add(new Reason("waiting", waiters + (waiters == 1 ? " waits" : " wait") + " for it already; you would be "
          + "number " + (waiters + 1), "tower lock " + sighting.name() + " --wait 10m"));
    }
    return reasons;
  }

  private static List<Reason> frozenReasons(LockView sighting) {
    return switch (sighting.frost()) {
      case FreezeState.None() -> List.of();
      case FreezeState.Frozen _ -> List.of(new Reason("frozen", FreezeJson.describe(sighting.frost()),
          "tower lock " + sighting.name() + " --wait 1h"));
      case FreezeState.Unreadable _ -> List.of(new Reason("frozen", FreezeJson.describe(sighting.frost()),
          "tower unfreeze " + sighting.name()));
    };
  }

  private static List<Reason> holdReasons(LockView sighting) {
    String name = sighting.name().value();
    return switch (sighting.occupancy()) {
      case LeaseState.Vacant() -> List.of();
      case LeaseState.Corrupt(String problem) -> List.of(new Reason("corrupt",
          sighting.path() + " cannot be read as a lock: " + problem, forceRelease(name)));
      case LeaseState.Unsupported(String version) -> List.of(new Reason("unsupported", sighting.path()
          + " is of lock version " + version + ", which this program does not know; upgrade it", forceRelease(name)));
      case LeaseState.Held held -> heldReasons(name, held);
    };
  }

  private static List<Reason> heldReasons(String name, LeaseState.Held held) {
    Lease lease = held.lease();
    String holder = describe(lease);
    List<Reason> reasons = new ArrayList<>();
    if (held.isStale()) {
      reasons.add(new Reason("stale", "held by " + holder + ", whose last heartbeat was " + held.age().seconds()
          + " s ago, more than its ttl of " + lease.ttl().seconds() + " s", "tower lock " + name + " --force-lock"));
    } else {
      reasons.add(new Reason("held", "held by " + holder + ", alive " + Math.max(0, held.age().seconds()) + " s ago",
          "tower lock " + name + " --wait 10m"));
    }
    if (isStuck(held)) {
      reasons.add(new Reason("no_progress", "no progress since " + Timestamps.format(lease.lastHeartbeatAt())
          + (held.isStale()
              ? ""
              : ": unless its work goes on it is stale after " + Timestamps.format(lease.expiresAt()))
          + " (or its executor has died)", "tower runs " + lease.requestId()));
    }
    if (held.age().isSkewed()) {
      reasons.add(new Reason("clock_skew", "its last heartbeat lies " + -held.age().seconds()
          + " s ahead of this host's clock; it goes stale a ttl after its file was last written", forceRelease(name)));
    } else if (!held.isStale() && held.age().exceedsByWallClock(lease.ttl())) {
      reasons
          .add(new Reason("clock_stepped", "this host's wall clock was stepped; by its boot clock the holder is alive",
              "tower doctor"));
    }
    return reasons;
  }

  /** Whether the holder is to prove that its work gets on, and has missed a renewal or more. */
  private static boolean isStuck(LeaseState.Held held) {
    Lease lease = held.lease();
    Duration interval = RenewalSchedule.interval(lease.ttl().duration(), RenewalSchedule.DEFAULT_MAX_INTERVAL);
    try {
      return held.age().seconds() > interval.toSeconds() + 1
          && JsonReader.readObject(lease.metadata()).text(AcquireRequest.Metadata.HEARTBEAT)
              .filter(AcquireRequest.Metadata.PROGRESS::equals).isPresent();
    } catch (JsonException noneOfOurs) {
      return false;
    }
  }

  /** What somebody waits for, in a few words. */
  public static String describe(Decision.Obstacle obstacle) {
    return switch (obstacle) {
      case Decision.Blocked(Lease lease, Age _) -> "held by " + describe(lease);
      case Decision.Frozen(String actor, String reason, Instant _, Instant until) -> "frozen by " + actor + " until "
          + Timestamps.format(until) + ": " + reason;
    };
  }

  /** A holder in a few words. */
  public static String describe(Lease lease) {
    Holder holder = lease.holder();
    return or(holder.actor(), "an unnamed actor") + " on " + or(holder.hostId(), "an unnamed host") + " (intent "
        + or(holder.intent(), "not named") + ", request " + lease.requestId() + ")";
  }

  private static String or(String text, String other) {
    return text.isEmpty() ? other : text;
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

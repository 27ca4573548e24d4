package fleet.tower.run;

import java.time.Instant;
import java.util.Optional;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.RunRefusal.Blocked;
import fleet.tower.run.RunRefusal.Corrupt;
import fleet.tower.run.RunRefusal.ForeignLocked;
import fleet.tower.run.RunRefusal.Freeze;
import fleet.tower.run.RunRefusal.Frozen;
import fleet.tower.run.RunRefusal.FrozenUnreadably;
import fleet.tower.run.RunRefusal.IntentChanged;
import fleet.tower.run.RunRefusal.LockHolder;
import fleet.tower.run.RunRefusal.OfLock;
import fleet.tower.run.RunRefusal.Stale;
import fleet.tower.run.RunRefusal.StorageUnavailable;
import fleet.tower.run.RunRefusal.TimedOut;
import fleet.tower.run.RunRefusal.TooManyWaiters;
import fleet.tower.run.RunRefusal.Unrecognized;
import fleet.tower.run.RunRefusal.Unsupported;

/**
 * A {@link RunRefusal} as the JSON object that is stored with its run and returned to callers. Services of different
 * versions share a store, so a member is never renamed, and an object that this version does not know is kept as it is.
 */
public final class RunRefusalJson {
  private static final String FOREIGN_LOCK = "foreign_lock";
  private static final String INTENT_CHANGED = "intent_changed";
  private static final String TIMED_OUT = "lock_wait_timeout";
  private static final String TOO_MANY_WAITERS = "too_many_waiters";
  private static final String STORAGE_UNAVAILABLE = "storage_unavailable";
  private static final String BLOCKED = "lock_blocked";
  private static final String STALE = "lock_stale";
  private static final String FROZEN = "lock_frozen";
  private static final String CORRUPT = "lock_corrupt";
  private static final String UNSUPPORTED = "unsupported_lock_version";
  private static final String GONE = "gone";

  private RunRefusalJson() {}

  /** The code that distinguishes the cases. */
  public static String error(RunRefusal refusal) {
    return switch (refusal) {
      case IntentChanged _ -> INTENT_CHANGED;
      case ForeignLocked _ -> FOREIGN_LOCK;
      case TimedOut _ -> TIMED_OUT;
      case TooManyWaiters _ -> TOO_MANY_WAITERS;
      case StorageUnavailable _ -> STORAGE_UNAVAILABLE;
      case Blocked _ -> BLOCKED;
      case Stale _ -> STALE;
      case Frozen _,FrozenUnreadably _ -> FROZEN;
      case Corrupt _ -> CORRUPT;
      case Unsupported _ -> UNSUPPORTED;
      case Unrecognized(String error, JsonObject _) -> error;
    };
  }

  public static String suggestion(RunRefusal refusal) {
    return switch (refusal) {
      case IntentChanged _ -> "See the intent as it is now, and request the run again";
      case ForeignLocked(ForeignLock.Refusal foreign) -> suggestion(foreign);
      case TimedOut(LeaseName _, LockHolder _) -> "Wait longer, or ask its holder";
      case TimedOut(LeaseName _, Freeze _) -> "Wait longer, or ask the owner of the freeze to lift it";
      case TooManyWaiters _ -> "Try again when fewer wait";
      case StorageUnavailable _ -> "See `tower doctor`";
      case Blocked _ -> "Wait for completion or use --force-lock if stale";
      case Stale _ -> "Use --force-lock to acquire (stale lock will be logged)";
      case Frozen _ -> "Wait until the freeze ends, or ask its owner to lift it";
      case FrozenUnreadably _ -> "Look at it; if the freeze is not wanted, use unfreeze";
      case Corrupt _ -> "Look at it; if it is not held, use force-release with a reason";
      case Unsupported _ -> "Upgrade this program; or, if it is not held, use force-release with a reason";
      case Unrecognized(String _, JsonObject json) -> json.text("suggestion").orElse("");
    };
  }

  private static String suggestion(ForeignLock.Refusal refusal) {
    String path = refusal.name().path();
    return switch (refusal.why()) {
      case ForeignLockState.Doubtful _ -> "Look at " + path + "; it must be repaired or removed by hand";
      case ForeignLockState.Held _ -> switch (refusal.name().kind()) {
        case BEADS -> "Wait until it is released; if its holder is on another host and gone, remove " + path
            + "/.exclusive-lock by hand";
        case FLOCK, PIDFILE -> "Wait until its holder releases it";
        case TERRAFORM -> "Wait until Terraform has finished";
      };
    };
  }

  public static JsonWriter write(RunRefusal refusal) {
    JsonWriter json = JsonWriter.line();
    switch (refusal) {
      case IntentChanged(String intent, String problem) -> json.put("error", INTENT_CHANGED).put("intent", intent)
          .put("problem", problem).put("suggestion", suggestion(refusal));
      case ForeignLocked(ForeignLock.Refusal foreign) -> write(json.put("error", FOREIGN_LOCK).put("foreign_lock",
          foreign.name().toString()), foreign.why()).put("suggestion", suggestion(refusal));
      case OfLock own -> writeDetails(json.put("error", error(own)).put("lock_name", own.lock().value()), own)
          .put("suggestion", suggestion(own));
      case Unrecognized(String _, JsonObject kept) ->
        kept.members().forEach((name, value) -> json.raw(name, kept.raw(value)));
    }
    return json;
  }

  private static JsonWriter writeDetails(JsonWriter json, OfLock refusal) {
    return switch (refusal) {
      case TimedOut(LeaseName _, LockHolder holder) -> writeHolder(json, holder);
      case TimedOut(LeaseName _, Freeze freeze) -> write(json, freeze);
      case TooManyWaiters(LeaseName _, long limit) -> json.put("waiters", limit);
      case StorageUnavailable(LeaseName _, String problem) -> json.put("problem", problem);
      case Blocked(LeaseName _, LockHolder holder) -> writeHolder(json, holder);
      case Stale(LeaseName _, LockHolder holder, Instant since, long age, long ttl) ->
        writeHolder(json.put("stale_since", since)
            .put("age_seconds", age).put("ttl_seconds", ttl), holder);
      case Frozen(LeaseName _, Freeze freeze) -> write(json, freeze);
      case FrozenUnreadably(LeaseName _, String problem, String path) -> json.put("problem", problem)
          .put("freeze_path", path);
      case Corrupt(LeaseName _, String problem) -> json.put("problem", problem);
      case Unsupported(LeaseName _, String version) -> json.put("lock_version", version);
    };
  }

  private static JsonWriter writeHolder(JsonWriter json, LockHolder holder) {
    json.put("held_by", write(holder));
    return holder.isGone() ? json.put("holder", GONE) : json;
  }

  private static JsonWriter write(LockHolder holder) {
    return JsonWriter.line().put("request_id", holder.requestId()).put("actor", holder.actor())
        .put("intent", holder.intent()).put("created_at", holder.createdAt())
        .put("last_heartbeat_at", holder.lastHeartbeatAt()).put("host_id", holder.hostId()).put("pid", holder.pid());
  }

  private static JsonWriter write(JsonWriter json, Freeze freeze) {
    return json.put("frozen_by", freeze.actor()).put("reason", freeze.reason()).put("created_at", freeze.since())
        .put("expires_at", freeze.until());
  }

  private static JsonWriter write(JsonWriter json, ForeignLockState.Blocking why) {
    return switch (why) {
      case ForeignLockState.Held(ForeignLockState.Occupant occupant) -> json.put("holder", occupant.holder())
          .put("held_by", write(occupant));
      case ForeignLockState.Doubtful(String problem, String holder) -> json.put("holder", holder)
          .put("problem", problem)
          .put("held_by", holder == null ? null : JsonWriter.line().put("holder", holder));
    };
  }

  private static JsonWriter write(ForeignLockState.Occupant occupant) {
    JsonWriter json = JsonWriter.line().put("holder", occupant.holder());
    if (occupant.pid() != 0) {
      json.put("pid", occupant.pid());
    }
    if (!occupant.host().isEmpty()) {
      json.put("hostname", occupant.host());
    }
    return occupant.since() == null ? json : json.put("started_at", occupant.since());
  }

  /** Reads what {@link #write} writes, in this version or another. */
  public static RunRefusal read(JsonObject json) {
    String error = json.text("error").orElse("");
    try {
      return switch (error) {
        case INTENT_CHANGED -> new IntentChanged(text(json, "intent"), text(json, "problem"));
        case FOREIGN_LOCK -> new ForeignLocked(readForeign(json));
        case TIMED_OUT -> new TimedOut(lock(json), json.get("held_by") == null ? freeze(json) : holder(json));
        case TOO_MANY_WAITERS -> new TooManyWaiters(lock(json), number(json, "waiters"));
        case STORAGE_UNAVAILABLE -> new StorageUnavailable(lock(json), text(json, "problem"));
        case BLOCKED -> new Blocked(lock(json), holder(json));
        case STALE -> new Stale(lock(json), holder(json), moment(json, "stale_since"), number(json, "age_seconds"),
            number(json, "ttl_seconds"));
        case FROZEN -> json.get("problem") == null
            ? new Frozen(lock(json), freeze(json))
            : new FrozenUnreadably(lock(json), text(json, "problem"), text(json, "freeze_path"));
        case CORRUPT -> new Corrupt(lock(json), text(json, "problem"));
        case UNSUPPORTED -> new Unsupported(lock(json), text(json, "lock_version"));
        default -> new Unrecognized(error, json);
      };
    } catch (MissingMember | InvalidValue e) {
      return new Unrecognized(error, json);
    }
  }

  private static LeaseName lock(JsonObject json) {
    return new LeaseName(text(json, "lock_name"));
  }

  private static LockHolder holder(JsonObject json) {
    JsonObject by = object(json, "held_by");
    return new LockHolder(text(by, "request_id"), text(by, "actor"), text(by, "intent"), moment(by, "created_at"),
        moment(by, "last_heartbeat_at"), text(by, "host_id"), number(by, "pid"),
        json.text("holder").filter(GONE::equals).isPresent());
  }

  private static Freeze freeze(JsonObject json) {
    return new Freeze(text(json, "frozen_by"), text(json, "reason"), moment(json, "created_at"),
        moment(json, "expires_at"));
  }

  private static ForeignLock.Refusal readForeign(JsonObject json) {
    ForeignName name = ForeignName.parse(text(json, "foreign_lock"));
    Optional<String> problem = json.text("problem");
    if (problem.isPresent()) {
      return new ForeignLock.Refusal(name,
          new ForeignLockState.Doubtful(problem.get(), json.text("holder").orElse(null)));
    }
    JsonObject by = object(json, "held_by");
    return new ForeignLock.Refusal(name, new ForeignLockState.Held(new ForeignLockState.Occupant(text(by, "holder"),
        by.integer("pid").orElse(0), by.text("hostname").orElse(""),
        by.text("started_at").flatMap(Timestamps::parse).orElse(null))));
  }

  private static String text(JsonObject json, String key) {
    return json.text(key).orElseThrow(MissingMember::new);
  }

  private static long number(JsonObject json, String key) {
    return json.integer(key).orElseThrow(MissingMember::new);
  }

  private static Instant moment(JsonObject json, String key) {
    return json.text(key).flatMap(Timestamps::parse).orElseThrow(MissingMember::new);
  }

  private static JsonObject object(JsonObject json, String key) {
    return json.object(key).orElseThrow(MissingMember::new);
  }

  /** An object lacks a member that this version writes. */
  private static final class MissingMember extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}

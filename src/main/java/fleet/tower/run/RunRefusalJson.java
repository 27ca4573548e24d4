package fleet.tower.run;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockState;
import fleet.tower.foreign.ForeignName;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.RunRefusal.Blocked;
import fleet.tower.run.RunRefusal.ByRules;
import fleet.tower.run.RunRefusal.Corrupt;
import fleet.tower.run.RunRefusal.ForeignLocked;
import fleet.tower.run.RunRefusal.Freeze;
import fleet.tower.run.RunRefusal.Frozen;
import fleet.tower.run.RunRefusal.FrozenUnreadably;
import fleet.tower.run.RunRefusal.IntentChanged;
import fleet.tower.run.RunRefusal.LockHolder;
import fleet.tower.run.RunRefusal.OfLock;
import fleet.tower.run.RunRefusal.PlanChanged;
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
  private static final String GONE = "gone";
  /** What reads a refusal, by its code. */
  private static final Map<ErrorCode, Function<JsonObject, RunRefusal>> READERS = Map.ofEntries(
      Map.entry(ErrorCode.INTENT_CHANGED, json -> new IntentChanged(text(json, "intent"), text(json, "problem"))),
      Map.entry(ErrorCode.PLAN_CHANGED,
          json -> new PlanChanged(json.text("plan_hash").orElse(null), json.texts("changed"))),
      Map.entry(ErrorCode.FOREIGN_LOCK, json -> new ForeignLocked(readForeign(json))),
      Map.entry(ErrorCode.LOCK_WAIT_TIMEOUT, json -> new TimedOut(lock(json),
          json.get("held_by") == null ? freeze(json) : holder(json))),
      Map.entry(ErrorCode.TOO_MANY_WAITERS, json -> new TooManyWaiters(lock(json), number(json, "waiters"))),
      Map.entry(ErrorCode.STORAGE_UNAVAILABLE, json -> new StorageUnavailable(lock(json), text(json, "problem"))),
      Map.entry(ErrorCode.LOCK_BLOCKED, json -> new Blocked(lock(json), holder(json))),
      Map.entry(ErrorCode.LOCK_STALE, json -> new Stale(lock(json), holder(json), moment(json, "stale_since"),
          number(json, "age_seconds"), number(json, "ttl_seconds"))),
      Map.entry(ErrorCode.LOCK_FROZEN, json -> json.get("problem") == null
          ? new Frozen(lock(json), freeze(json))
          : new FrozenUnreadably(lock(json), text(json, "problem"), text(json, "freeze_path"))),
      Map.entry(ErrorCode.LOCK_CORRUPT, json -> new Corrupt(lock(json), text(json, "problem"))),
      Map.entry(ErrorCode.UNSUPPORTED_LOCK_VERSION, json -> new Unsupported(lock(json), text(json, "lock_version"))));

  private RunRefusalJson() {}

  /** The code that distinguishes the cases; an {@link ErrorCode} unless another version recorded the refusal. */
  public static String error(RunRefusal refusal) {
    return switch (refusal) {
      case IntentChanged _ -> ErrorCode.INTENT_CHANGED.code();
      case PlanChanged _ -> ErrorCode.PLAN_CHANGED.code();
      case ForeignLocked _ -> ErrorCode.FOREIGN_LOCK.code();
      case TimedOut _ -> ErrorCode.LOCK_WAIT_TIMEOUT.code();
      case TooManyWaiters _ -> ErrorCode.TOO_MANY_WAITERS.code();
      case StorageUnavailable _ -> ErrorCode.STORAGE_UNAVAILABLE.code();
      case ByRules byRules -> byRules.kind().code().code();
      case Unrecognized(String error, JsonObject _) -> error;
    };
  }

  /** What the caller can do about it. */
  public static String suggestion(RunRefusal refusal) {
    return switch (refusal) {
      case IntentChanged _ -> "See the intent as it is now, and request the run again";
      case PlanChanged _ -> "Plan it again, and send the new plan_hash if the plan is what you want";
      case ForeignLocked(ForeignLock.Refusal foreign) -> foreign.suggestion();
      case TimedOut(LeaseName _, LockHolder _) -> "Wait longer, or ask its holder";
      case TimedOut(LeaseName _, Freeze _) -> "Wait longer, or ask the owner of the freeze to lift it";
      case TooManyWaiters _ -> "Try again when fewer wait";
      case StorageUnavailable _ -> "See `tower doctor`";
      case ByRules byRules -> byRules.kind().suggestion();
      case Unrecognized(String _, JsonObject json) -> json.text("suggestion").orElse("");
    };
  }

  public static JsonWriter write(RunRefusal refusal) {
    JsonWriter json = JsonWriter.line();
    switch (refusal) {
      case IntentChanged(String intent, String problem) -> json.put("error", error(refusal)).put("intent", intent)
          .put("problem", problem).put("suggestion", suggestion(refusal));
      case PlanChanged changed -> write(json.put("error", error(refusal)), changed)
          .put("suggestion", suggestion(refusal));
      case ForeignLocked(ForeignLock.Refusal foreign) -> write(json.put("error", error(refusal)).put("foreign_lock",
          foreign.name().toString()), foreign.why()).put("suggestion", suggestion(refusal));
      case OfLock own -> writeDetails(json.put("error", error(own)).put("lock_name", own.lock().value()), own)
          .put("suggestion", suggestion(own));
      case Unrecognized(String _, JsonObject kept) ->
        kept.members().forEach((name, value) -> json.raw(name, kept.raw(value)));
    }
    return json;
  }

  private static JsonWriter write(JsonWriter json, PlanChanged change) {
    if (!change.changed().isEmpty()) {
      json.list("changed", change.changed().stream().map(JsonWriter::quote).toList());
    }
    return change.planHash() == null ? json : json.put("plan_hash", change.planHash());
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
      return ErrorCode.of(error).map(READERS::get).map(reader -> reader.apply(json))
          .orElseGet(() -> new Unrecognized(error, json));
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

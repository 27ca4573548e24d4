package fleet.tower.run;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.foreign.ForeignLockJson;
import fleet.tower.intent.Values;
import fleet.tower.lease.Decision;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.run.RunRefusal.ApprovalExpired;
import fleet.tower.run.RunRefusal.ApprovalRejected;
import fleet.tower.run.RunRefusal.Barred;
import fleet.tower.run.RunRefusal.Blocked;
import fleet.tower.run.RunRefusal.ByRules;
import fleet.tower.run.RunRefusal.ForeignLocked;
import fleet.tower.run.RunRefusal.Frozen;
import fleet.tower.run.RunRefusal.IntentChanged;
import fleet.tower.run.RunRefusal.LockHolder;
import fleet.tower.run.RunRefusal.OfLock;
import fleet.tower.run.RunRefusal.PlanChanged;
import fleet.tower.run.RunRefusal.SecretsLost;
import fleet.tower.run.RunRefusal.Stale;
import fleet.tower.run.RunRefusal.StorageUnavailable;
import fleet.tower.run.RunRefusal.TimedOut;
import fleet.tower.run.RunRefusal.TooManyWaiters;
import fleet.tower.run.RunRefusal.Unrecognized;
import fleet.tower.run.RunRefusal.Unusable;

/**
 * A {@link RunRefusal} as the JSON object that is stored with its run and returned to callers. Services of different
 * versions share a store, so a member is never renamed, and an object that this version does not know is kept as it is.
 */
public final class RunRefusalJson {
  private static final String GONE = "gone";

  private RunRefusalJson() {}

  /** The code of the case, as its own version of this program wrote it. */
  public static String error(RunRefusal refusal) {
    return refusal instanceof Unrecognized(String error, JsonObject _)
        ? error
        : Objects.requireNonNull(refusal.code()).code();
  }

  /** What the caller can do about it. */
  public static String suggestion(RunRefusal refusal) {
    return switch (refusal) {
      case IntentChanged _ -> "See the intent as it is now, and request the run again";
      case RunRefusal.NotAllowed _ -> "give other values, or ask an operator";
      case PlanChanged _ -> "Plan it again, and send the new plan_hash if the plan is what you want";
      case Barred(Decision.Barred why) -> RefusalKind.of(why).suggestion();
      case ApprovalRejected _ -> "Ask who rejected it, and request the run again under another id";
      case ApprovalExpired _ -> "Request the run again, and ask for approval";
      case SecretsLost _ -> "Request the run again, and let the process that requests it run until it is approved";
      case ForeignLocked(ForeignLock.Refusal foreign) -> foreign.suggestion();
      case TimedOut(Blocked _) -> "Wait longer, or ask its holder";
      case TimedOut(Frozen _) -> "Wait longer, or ask the owner of the freeze to lift it";
      case TooManyWaiters _ -> "Try again when fewer wait";
      case StorageUnavailable _ -> "See `tower doctor`";
      case ByRules byRules -> byRules.kind().suggestion();
      case Unrecognized(String _, JsonObject json) -> json.text("suggestion").orElse("");
    };
  }

  public static JsonWriter write(RunRefusal refusal) {
    JsonWriter json = JsonWriter.line();
    switch (refusal) {
      case ForeignLocked(ForeignLock.Refusal foreign) -> json.members(ForeignLockJson.refusal(foreign));
      case Unrecognized(String _, JsonObject kept) -> json.members(kept);
      case IntentChanged(String intent, String problem) -> json.put("error", error(refusal)).put("intent", intent)
          .put("problem", problem).put("suggestion", suggestion(refusal));
      case PlanChanged changed -> write(json.put("error", error(refusal)), changed)
          .put("suggestion", suggestion(refusal));
      case RunRefusal.NotAllowed(String rule, List<Values.Problem> problems) -> json.put("error", error(refusal))
          .put("rule", rule).list("errors", problems(problems)).put("suggestion", suggestion(refusal));
      case Barred(Decision.Barred why) -> write(json.put("error", error(refusal)), why)
          .put("suggestion", suggestion(refusal));
      case ApprovalRejected(String by, String reason) -> json.put("error", error(refusal)).put("rejected_by", by)
          .put("reason", reason).put("suggestion", suggestion(refusal));
      case ApprovalExpired(int have, int need) -> json.put("error", error(refusal)).put("have", have).put("need", need)
          .put("suggestion", suggestion(refusal));
      case SecretsLost(List<String> params) -> json.put("error", error(refusal))
          .list("params", params.stream().map(JsonWriter::quote).toList()).put("suggestion", suggestion(refusal));
      case OfLock own -> write(json.put("error", error(own)).put("lock_name", own.lock().value()), own)
          .put("suggestion", suggestion(own));
    }
    return json;
  }

  /** What is wrong with the parameters of a request. */
  public static List<String> problems(List<Values.Problem> problems) {
    return problems.stream().map(problem -> JsonWriter.line().put("pointer", problem.pointer())
        .put("message", problem.message()).end()).toList();
  }

  private static JsonWriter write(JsonWriter json, PlanChanged change) {
    if (!change.changed().isEmpty()) {
      json.list("changed", change.changed().stream().map(JsonWriter::quote).toList());
    }
    return change.planHash() == null ? json : json.put("plan_hash", change.planHash());
  }

  /** Adds the members of an order or a rule. */
  public static JsonWriter write(JsonWriter json, Decision.Barred barred) {
    return switch (barred) {
      case Decision.Halted halt -> write(json, halt);
      case Decision.WindowClosed(String window, String reason, Instant opensAt) -> {
        json.put("window", window).put("reason", reason);
        yield opensAt == null ? json : json.put("opens_at", opensAt);
      }
      case Decision.LimitReached(String quota, int most) -> json.put("quota", quota).put("limit", most);
    };
  }

  private static JsonWriter write(JsonWriter json, Decision.Halted halt) {
    json.put("halt", halt.halt());
    if (halt.actor() != null) {
      json.put("halted_by", halt.actor());
    }
    json.put("reason", halt.reason()).put("created_at", halt.since());
    return halt.until() == null ? json : json.put("expires_at", halt.until());
  }

  /** Adds the members that are special to a refusal of a lock. */
  public static JsonWriter write(JsonWriter json, OfLock refusal) {
    return switch (refusal) {
      case TimedOut(RunRefusal.Obstacle obstacle) -> write(json, obstacle);
      case TooManyWaiters(LeaseName _, long limit) -> json.put("waiters", limit);
      case StorageUnavailable(LeaseName _, String problem) -> json.put("problem", problem);
      case Blocked(LeaseName _, LockHolder holder) -> writeHolder(json, holder);
      case Stale(LeaseName _, LockHolder holder, Instant since, long age, long ttl) ->
        writeHolder(json.put("stale_since", since).put("age_seconds", age).put("ttl_seconds", ttl), holder);
      case Frozen(LeaseName _, Decision.Frozen(String actor, String reason, Instant since, Instant until)) ->
        json.put("frozen_by", actor).put("reason", reason).put("created_at", since).put("expires_at", until);
      case Unusable(LeaseName _, Decision.FrozenUnreadably(String path, String problem)) ->
        json.put("problem", problem).put("freeze_path", path);
      case Unusable(LeaseName _, Decision.Corrupt(String problem)) -> json.put("problem", problem);
      case Unusable(LeaseName _, Decision.Unsupported(String version)) -> json.put("lock_version", version);
    };
  }

  private static JsonWriter writeHolder(JsonWriter json, LockHolder holder) {
    json.put("held_by", write(holder));
    return holder.isGone() ? json.put("holder", GONE) : json;
  }

  /** The holder of a lock, with the members of both of the specification's lists. */
  public static JsonWriter write(LockHolder holder) {
    return JsonWriter.line().put("request_id", holder.requestId()).put("actor", holder.actor())
        .put("intent", holder.intent()).put("created_at", holder.createdAt())
        .put("last_heartbeat_at", holder.lastHeartbeatAt()).put("host_id", holder.hostId()).put("pid", holder.pid());
  }

  /** Reads what {@link #write} writes, in this version or another. */
  public static RunRefusal read(JsonObject json) {
    String error = json.text("error").orElse("");
    try {
      return ErrorCode.of(error).map(Readers.BY_CODE::get).map(reader -> reader.apply(json))
          .orElseGet(() -> new Unrecognized(error, json));
    } catch (MissingMember | InvalidValue e) {
      return new Unrecognized(error, json);
    }
  }

  /** What reads a refusal, apart from what every refused command loads. */
  private static final class Readers {
    static final Map<ErrorCode, Function<JsonObject, RunRefusal>> BY_CODE = Map.ofEntries(
        Map.entry(ErrorCode.INTENT_CHANGED, json -> new IntentChanged(text(json, "intent"), text(json, "problem"))),
        Map.entry(ErrorCode.PLAN_CHANGED,
            json -> new PlanChanged(json.text("plan_hash").orElse(null), json.texts("changed"))),
        Map.entry(ErrorCode.PARAMS_NOT_ALLOWED,
            json -> new RunRefusal.NotAllowed(text(json, "rule"), json.objects("errors").stream()
                .map(it -> new Values.Problem(text(it, "pointer"), text(it, "message"))).toList())),
        Map.entry(ErrorCode.APPROVAL_REJECTED,
            json -> new ApprovalRejected(text(json, "rejected_by"), json.text("reason").orElse(null))),
        Map.entry(ErrorCode.APPROVAL_EXPIRED, json -> new ApprovalExpired(Math.toIntExact(number(json, "have")),
            Math.toIntExact(number(json, "need")))),
        Map.entry(ErrorCode.SECRETS_LOST, json -> new SecretsLost(json.texts("params"))),
        Map.entry(ErrorCode.HALTED, json -> new Barred(new Decision.Halted(text(json, "halt"),
            json.text("halted_by").orElse(null), text(json, "reason"), moment(json, "created_at"),
            json.text("expires_at").flatMap(Timestamps::parse).orElse(null)))),
        Map.entry(ErrorCode.WINDOW_CLOSED, json -> new Barred(new Decision.WindowClosed(text(json, "window"),
            text(json, "reason"), json.text("opens_at").flatMap(Timestamps::parse).orElse(null)))),
        Map.entry(ErrorCode.QUOTA_EXCEEDED, json -> new Barred(
            new Decision.LimitReached(text(json, "quota"), Math.toIntExact(number(json, "limit"))))),
        Map.entry(ErrorCode.FOREIGN_LOCK,
            json -> new ForeignLocked(ForeignLockJson.read(json).orElseThrow(MissingMember::new))),
        Map.entry(ErrorCode.LOCK_WAIT_TIMEOUT,
            json -> new TimedOut(json.get("held_by") == null ? frozen(json) : blocked(json))),
        Map.entry(ErrorCode.TOO_MANY_WAITERS, json -> new TooManyWaiters(lock(json), number(json, "waiters"))),
        Map.entry(ErrorCode.STORAGE_UNAVAILABLE, json -> new StorageUnavailable(lock(json), text(json, "problem"))),
        Map.entry(ErrorCode.LOCK_BLOCKED, RunRefusalJson::blocked),
        Map.entry(ErrorCode.LOCK_STALE, json -> new Stale(lock(json), holder(json), moment(json, "stale_since"),
            number(json, "age_seconds"), number(json, "ttl_seconds"))),
        Map.entry(ErrorCode.LOCK_FROZEN, json -> json.get("problem") == null
            ? frozen(json)
            : unusable(json, new Decision.FrozenUnreadably(text(json, "freeze_path"), text(json, "problem")))),
        Map.entry(ErrorCode.LOCK_CORRUPT, json -> unusable(json, new Decision.Corrupt(text(json, "problem")))),
        Map.entry(ErrorCode.UNSUPPORTED_LOCK_VERSION,
            json -> unusable(json, new Decision.Unsupported(text(json, "lock_version")))));
  }

  private static Unusable unusable(JsonObject json, Decision.Unusable why) {
    return new Unusable(lock(json), why);
  }

  private static LeaseName lock(JsonObject json) {
    return new LeaseName(text(json, "lock_name"));
  }

  private static LockHolder holder(JsonObject json) {
    JsonObject by = json.object("held_by").orElseThrow(MissingMember::new);
    return new LockHolder(text(by, "request_id"), text(by, "actor"), text(by, "intent"), moment(by, "created_at"),
        moment(by, "last_heartbeat_at"), text(by, "host_id"), number(by, "pid"),
        json.text("holder").filter(GONE::equals).isPresent());
  }

  private static Blocked blocked(JsonObject json) {
    return new Blocked(lock(json), holder(json));
  }

  private static Frozen frozen(JsonObject json) {
    return new Frozen(lock(json), new Decision.Frozen(text(json, "frozen_by"), text(json, "reason"),
        moment(json, "created_at"), moment(json, "expires_at")));
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

  /** An object lacks a member that this version writes. */
  private static final class MissingMember extends RuntimeException {
    private static final long serialVersionUID = 1;
  }
}

package fleet.tower.answer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Holder;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.LockView;
import fleet.tower.lock.PreviousLock;
import fleet.tower.lock.RefusalKind;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;

/** Locks as JSON, the same at both doors. */
public final class LockJson {
  /** The member of a view whose lock was put back after a power failure. */
  public static final String RESTORED = "restored";

  private LockJson() {}

  /** The answer of sections 4.4 and 6.3 of the specification, and similar answers for locks that cannot be read. */
  public static JsonWriter refusal(LeaseName name, Decision.Refusal refusal) {
    return refusal(name, refusal, RefusalKind.of(refusal).code());
  }

  /** The same answer after a wait; {@code blocked_by} is the code of the obstacle. */
  public static JsonWriter waitedInVain(LeaseName name, Decision.Obstacle obstacle) {
    return timeout(name, obstacle).put("blocked_by", RefusalKind.of(obstacle).code().code());
  }

  /** The same answer after a wait, without the code of the obstacle. */
  public static JsonWriter timeout(LeaseName name, Decision.Obstacle obstacle) {
    return refusal(name, obstacle, ErrorCode.LOCK_WAIT_TIMEOUT);
  }

  private static JsonWriter refusal(LeaseName name, Decision.Refusal refusal, ErrorCode code) {
    JsonWriter answer = JsonWriter.line().put("error", code.code()).put("lock_name", name.value());
    if (refusal instanceof Decision.OfRun(RequestId run, var _, var _)) {
      answer.put("request_id", run.value());
    } else if (refusal instanceof Decision.Barred barred) {
      RunRefusalJson.write(answer, barred);
    } else {
      RunRefusalJson.write(answer, RunRefusal.ofLock(name, refusal));
    }
    Lease lease = refusal.lease();
    if (lease != null && refusal.holderIsGone()) {
      answer.put("expires_at", lease.expiresAt());
    }
    return answer.put("suggestion", RefusalKind.of(refusal).suggestion());
  }

  /** The holder, with the members of both of the specification's lists. */
  public static JsonWriter heldBy(Lease lease) {
    return RunRefusalJson.write(RunRefusal.LockHolder.of(lease));
  }

  /** Adds that the process of a holder is known to be gone, and when its lock goes stale. */
  public static void putIfGone(JsonWriter json, LockView view) {
    if (view.leaseState() instanceof LeaseState.Held(Lease lease, Age _) && lease.holder().isGone()) {
      json.put("holder", "gone").put("expires_at", lease.expiresAt());
    }
  }

  /** The members of the lock record. A lock file has a writer of its own, because its format never changes. */
  private static JsonWriter record(Lease lease) {
    Holder holder = lease.holder();
    return JsonWriter.line().put("lock_version", "v1").put("lock_name", lease.name().value())
        .put("request_id", lease.requestId().value()).put("actor", holder.actor()).put("intent", holder.intent())
        .put("intent_version", holder.intentVersion()).put("host_id", holder.hostId()).put("pid", holder.pid())
        .put("created_at", lease.createdAt()).put("last_heartbeat_at", lease.lastHeartbeatAt())
        .put("ttl_seconds", lease.ttl().seconds()).raw("metadata", lease.metadata());
  }

  /**
   * A lock for its new holder.
   *
   * @param previous the stale lock that it replaces; null if there was none
   */
  public static JsonWriter granted(Lease lease, @Nullable PreviousLock previous, boolean alreadyHeld) {
    JsonWriter json = held(lease).put("already_held", alreadyHeld).put("stolen", previous != null);
    return previous == null || previous.lease() == null ? json : json.put("stolen_from", heldBy(previous.lease()));
  }

  /** A lock for its holder, after a heartbeat. */
  public static JsonWriter renewed(Lease lease, long lateSeconds) {
    return held(lease).put("late_by_seconds", lateSeconds);
  }

  private static JsonWriter held(Lease lease) {
    return record(lease).put("fencing_token", lease.token().value()).put("expires_at", lease.expiresAt());
  }

  /** A lock that its owner has released. */
  public static JsonWriter released(LeaseName name, Lease lease, Instant at) {
    return JsonWriter.line().put("lock_name", name.value()).put("released", true).put("held_duration_seconds",
        Math.max(0, Duration.between(lease.createdAt(), at).toSeconds()));
  }

  /** A release of a lock that was free already. */
  public static JsonWriter notReleased(LeaseName name) {
    return JsonWriter.line().put("lock_name", name.value()).put("released", false);
  }

  /** A lock that was removed by force. */
  public static JsonWriter removed(LeaseName name, PreviousLock previous) {
    return JsonWriter.line().put("lock_name", name.value()).put("released", true)
        .put("previous_lock", previous.lease() == null ? null : heldBy(previous.lease()))
        .put("previous_lock_hash", previous.hash());
  }

  /** A lock that was not removed by force, because a live run holds it. */
  public static JsonWriter runActive(LeaseName name, Lease lease) {
    return JsonWriter.line().put("error", ErrorCode.RUN_ACTIVE.code()).put("lock_name", name.value())
        .put("held_by", heldBy(lease)).put("suggestion",
            "Cancel the run, which rolls back and releases the lock; or abandon it, which stops it without a rollback");
  }

  /** The requests that wait for a lock; what was not recorded is absent. */
  public static List<String> queue(List<WaitingRequest> queue) {
    return queue.stream().map(LockJson::waiting).toList();
  }

  private static String waiting(WaitingRequest request) {
    JsonWriter json = JsonWriter.line().put("request_id", request.requestId().value());
    if (request.actor() != null) {
      json.put("actor", request.actor());
    }
    if (request.intent() != null) {
      json.put("intent", request.intent());
    }
    return (request.since() == null ? json : json.put("since", request.since())).end();
  }

  /** The view of a lock: its record, its state, the number of waiters, and its freeze. */
  public static JsonWriter view(LockView view, int waiters) {
    String state = view.state().toString();
    JsonWriter json = switch (view.leaseState()) {
      case LeaseState.Held(Lease lease, Age age) -> record(lease).put("state", state)
          .put("age_seconds", age.seconds()).put("expires_at", lease.expiresAt())
          .put("fencing_token", lease.token().value()).put("clock_skew", age.isSkewed());
      case LeaseState.Vacant() -> JsonWriter.line().put("lock_name", view.name().value()).put("state", state);
      case LeaseState.Corrupt(String problem) -> JsonWriter.line().put("lock_name", view.name().value())
          .put("state", state).put("problem", problem);
      case LeaseState.Unsupported(String version) -> JsonWriter.line().put("lock_version", version)
          .put("lock_name", view.name().value()).put("state", state);
    };
    if (view.leaseState() instanceof LeaseState.Held held && held.lease().holder().isGone()) {
      json.put("holder", "gone");
    }
    if (view.isRestored()) {
      json.put(RESTORED, true);
    }
    return json.put("waiters", waiters).put("lock_path", view.path()).put("frozen",
        FreezeJson.frozen(view.name(), view.freeze()));
  }
}

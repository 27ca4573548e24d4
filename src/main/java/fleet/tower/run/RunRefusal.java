package fleet.tower.run;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.intent.Values;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.text.VisibleText;

/**
 * The reason why a recorded run was refused before its first step. A run is recorded as refused only if it waited for
 * its lock or was queued; any other request is refused with a {@code SubmitOutcome}, without a record.
 * {@link RunRefusalJson} is its stored form.
 */
public sealed interface RunRefusal {

  /** The code of the case; null if another version of this program recorded it. */
  default @Nullable ErrorCode code() {
    return switch (this) {
      case IntentChanged _ -> ErrorCode.INTENT_CHANGED;
      case PlanChanged _ -> ErrorCode.PLAN_CHANGED;
      case NotAllowed _ -> ErrorCode.PARAMS_NOT_ALLOWED;
      case Barred(Decision.Barred why) -> RefusalKind.of(why).code();
      case ApprovalRejected _ -> ErrorCode.APPROVAL_REJECTED;
      case ApprovalExpired _ -> ErrorCode.APPROVAL_EXPIRED;
      case SecretsLost _ -> ErrorCode.SECRETS_LOST;
      case ForeignLocked _ -> ErrorCode.FOREIGN_LOCK;
      case TimedOut _ -> ErrorCode.LOCK_WAIT_TIMEOUT;
      case TooManyWaiters _ -> ErrorCode.TOO_MANY_WAITERS;
      case StorageUnavailable _ -> ErrorCode.STORAGE_UNAVAILABLE;
      case ByRules byRules -> byRules.kind().code();
      case Unrecognized _ -> null;
    };
  }

  /** A refusal of the run's own lock. */
  sealed interface OfLock extends RunRefusal {
    LeaseName lock();
  }

  /** A refusal by the rules of a lock. */
  sealed interface ByRules extends OfLock {
    /** The kind of the same refusal of any other request for the lock. */
    default RefusalKind kind() {
      return switch (this) {
        case Blocked _ -> RefusalKind.BLOCKED;
        case Frozen _ -> RefusalKind.FROZEN;
        case Stale _ -> RefusalKind.STALE;
        case Unusable(LeaseName _, Decision.Unusable why) -> RefusalKind.of(why);
      };
    }
  }

  /** A refusal by the rules of a lock whose cause ends by itself. */
  sealed interface Obstacle extends ByRules {}

  /** The intent no longer accepts the queued request. */
  record IntentChanged(String intent, String problem) implements RunRefusal {}

  /**
   * The run would no longer do what its request names.
   *
   * @param planHash the hash of what it would do now; null if it would be refused
   * @param changed the members of its plan that changed; empty if they are not known
   */
  record PlanChanged(@Nullable String planHash, List<String> changed) implements RunRefusal {
    public PlanChanged {
      changed = List.copyOf(changed);
    }
  }

  /** A rule of the policy is against its parameters, as it is now. */
  record NotAllowed(String rule, List<Values.Problem> problems) implements RunRefusal {
    public NotAllowed {
      problems = List.copyOf(problems);
    }

    /** What is wrong with them, in words. */
    public String text() {
      return "the rule " + rule + " of the policy is against it: " + Values.Problem.sentence(problems);
    }
  }

  /** An operator's order or rule is against it. */
  record Barred(Decision.Barred why) implements RunRefusal {}

  /** The approval that it needs. */
  sealed interface OfApproval extends RunRefusal {
    /** What is wrong with it, in words. */
    default String text() {
      return switch (this) {
        case ApprovalRejected(String by, String reason) -> VisibleText.quoted(by) + " rejected it"
            + (reason == null ? "" : ": " + reason);
        case ApprovalExpired(int have, int need) -> have < need
            ? "it was not approved in time (" + have + " of " + need + ")"
            : "it was approved, and did not begin in time after that";
        case SecretsLost _ -> "the process that had its secret parameters in memory has ended";
      };
    }
  }

  /** A person rejected it. */
  record ApprovalRejected(String by, @Nullable String reason) implements OfApproval {}

  /** Not enough persons approved it in time, or it did not begin in time after that. */
  record ApprovalExpired(int have, int need) implements OfApproval {}

  /** The process that had its secrets in memory has ended. */
  record SecretsLost(List<String> params) implements OfApproval {
    public SecretsLost {
      params = List.copyOf(params);
    }
  }

  /** Another tool holds its lock. */
  record ForeignLocked(ForeignLock.Refusal refusal) implements RunRefusal {}

  /** The lock was not free in time. */
  record TimedOut(Obstacle obstacle) implements OfLock {
    @Override
    public LeaseName lock() {
      return obstacle.lock();
    }
  }

  /** As many runs wait for the lock as may. */
  record TooManyWaiters(LeaseName lock, long limit) implements OfLock {}

  /** The lock could not be written or read. */
  record StorageUnavailable(LeaseName lock, String problem) implements OfLock {}

  /** A live holder has the lock. */
  record Blocked(LeaseName lock, LockHolder holder) implements Obstacle {}

  /** The lock is frozen. */
  record Frozen(LeaseName lock, Decision.Frozen freeze) implements Obstacle {}

  /** A dead holder has the lock, and the request did not allow taking it. */
  record Stale(LeaseName lock, LockHolder holder, Instant since, long ageSeconds, long ttlSeconds) implements ByRules {}

  /** The lock or its freeze cannot be read. */
  record Unusable(LeaseName lock, Decision.Unusable why) implements ByRules {}

  /** A refusal that another version of this program recorded; {@code json} is all that it wrote. */
  record Unrecognized(String error, JsonObject json) implements RunRefusal {}

  /** What a record keeps of the holder of a lock. */
  record LockHolder(String requestId, String actor, String intent, Instant createdAt, Instant lastHeartbeatAt,
      String hostId, long pid, boolean isGone) {

    public static LockHolder of(Lease lease) {
      return new LockHolder(lease.requestId().value(), lease.holder().actor(), lease.holder().intent(),
          lease.createdAt(), lease.lastHeartbeatAt(), lease.holder().hostId(), lease.holder().pid(),
          lease.holder().isGone());
    }
  }

  static RunRefusal of(LeaseName lock, Decision.Refusal refusal) {
    return refusal instanceof Decision.Barred barred ? new Barred(barred) : ofLock(lock, refusal);
  }

  /** The refusal by what is stored of the lock. */
  static ByRules ofLock(LeaseName lock, Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Obstacle obstacle -> of(lock, obstacle);
      case Decision.Stale(Lease lease, Age age) -> new Stale(lock, LockHolder.of(lease), lease.expiresAt(),
          age.seconds(), lease.ttl().seconds());
      case Decision.Unusable why -> new Unusable(lock, why);
      case Decision.OfRun _,Decision.Barred _ -> throw new IllegalStateException("lock " + lock + ": " + refusal);
    };
  }

  static Obstacle of(LeaseName lock, Decision.Obstacle obstacle) {
    return switch (obstacle) {
      case Decision.Blocked(Lease lease, Age _) -> new Blocked(lock, LockHolder.of(lease));
      case Decision.Frozen freeze -> new Frozen(lock, freeze);
    };
  }
}

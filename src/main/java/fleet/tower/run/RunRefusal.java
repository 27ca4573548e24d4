package fleet.tower.run;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.foreign.ForeignLock;
import fleet.tower.lease.Age;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.RefusalKind;
import fleet.tower.platform.json.JsonObject;

/**
 * The reason why a recorded run was refused before its first step. A run is recorded as refused only if it waited for
 * its lock or was queued; any other request is refused with a {@code SubmitOutcome}, without a record.
 * {@link RunRefusalJson} is its stored form.
 */
public sealed interface RunRefusal {

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
        case Stale _ -> RefusalKind.STALE;
        case Frozen _ -> RefusalKind.FROZEN;
        case FrozenUnreadably _ -> RefusalKind.FROZEN_UNREADABLY;
        case Corrupt _ -> RefusalKind.CORRUPT;
        case Unsupported _ -> RefusalKind.UNSUPPORTED;
      };
    }
  }

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

  /** Another tool holds its lock. */
  record ForeignLocked(ForeignLock.Refusal refusal) implements RunRefusal {}

  /** The lock was not free in time. */
  record TimedOut(LeaseName lock, Obstacle obstacle) implements OfLock {}

  /** As many runs wait for the lock as may. */
  record TooManyWaiters(LeaseName lock, long limit) implements OfLock {}

  /** The lock could not be written or read. */
  record StorageUnavailable(LeaseName lock, String problem) implements OfLock {}

  /** A live holder has the lock. */
  record Blocked(LeaseName lock, LockHolder holder) implements ByRules {}

  /** A dead holder has the lock, and the request did not allow taking it. */
  record Stale(LeaseName lock, LockHolder holder, Instant since, long ageSeconds, long ttlSeconds) implements ByRules {}

  /** The lock is frozen. */
  record Frozen(LeaseName lock, Freeze freeze) implements ByRules {}

  /** The lock has a freeze that cannot be read. */
  record FrozenUnreadably(LeaseName lock, String problem, String path) implements ByRules {}

  /** The lock cannot be read. */
  record Corrupt(LeaseName lock, String problem) implements ByRules {}

  /** The lock was written by a newer version of the specification. */
  record Unsupported(LeaseName lock, String version) implements ByRules {}

  /** A refusal that another version of this program recorded; {@code json} is all that it wrote. */
  record Unrecognized(String error, JsonObject json) implements RunRefusal {}

  /** What a run is waiting for. */
  sealed interface Obstacle {}

  /** The holder of a lock. */
  record LockHolder(String requestId, String actor, String intent, Instant createdAt, Instant lastHeartbeatAt,
      String hostId, long pid, boolean isGone) implements Obstacle {

    static LockHolder of(Lease lease) {
      return new LockHolder(lease.requestId().value(), lease.holder().actor(), lease.holder().intent(),
          lease.createdAt(), lease.lastHeartbeatAt(), lease.holder().hostId(), lease.holder().pid(),
          lease.holder().isGone());
    }
  }

  /** The freeze of a lock. */
  record Freeze(String actor, String reason, Instant since, Instant until) implements Obstacle {
    static Freeze of(Decision.Frozen frozen) {
      return new Freeze(frozen.actor(), frozen.reason(), frozen.since(), frozen.until());
    }
  }

  static RunRefusal of(LeaseName lock, Decision.Refusal refusal) {
    return switch (refusal) {
      case Decision.Blocked(Lease lease, Age _) -> new Blocked(lock, LockHolder.of(lease));
      case Decision.Stale(Lease lease, Age age) -> new Stale(lock, LockHolder.of(lease), lease.expiresAt(),
          age.seconds(), lease.ttl().seconds());
      case Decision.Frozen frozen -> new Frozen(lock, Freeze.of(frozen));
      case Decision.FrozenUnreadably(String path, String problem) -> new FrozenUnreadably(lock, problem, path);
      case Decision.OfRun(RequestId run, var _, var _) ->
        throw new IllegalStateException("run " + run + " was taken for a client");
      case Decision.Corrupt(String problem) -> new Corrupt(lock, problem);
      case Decision.Unsupported(String version) -> new Unsupported(lock, version);
    };
  }

  static RunRefusal timedOut(LeaseName lock, Decision.Obstacle obstacle) {
    return new TimedOut(lock, switch (obstacle) {
      case Decision.Blocked(Lease lease, Age _) -> LockHolder.of(lease);
      case Decision.Frozen frozen -> Freeze.of(frozen);
    });
  }
}

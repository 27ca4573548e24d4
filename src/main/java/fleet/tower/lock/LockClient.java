package fleet.tower.lock;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lease.keepalive.RenewalListener;
import fleet.tower.lock.queue.Wait;
import fleet.tower.lock.queue.WaitOutcome;

/** The locks of a home ({@link Locks}) or of a service. The actor makes the call and is named in the audit log. */
public interface LockClient {

  /** Acquires a lock, or is refused at once. */
  AcquireOutcome acquire(AcquireRequest request);

  /** Acquires a lock, and waits for it if it is held. */
  WaitOutcome<AcquireOutcome, Decision.Obstacle> acquire(AcquireRequest request, Wait wait);

  /** Renews a lock for its owner. */
  RenewOutcome renew(Actor actor, LeaseName name, Owner by, FencingToken token);

  /** Renews a lock for a {@link fleet.tower.lease.keepalive.LeaseRenewer}. */
  Renewal renewal(Actor actor, Lease lease);

  /**
   * A listener for the renewals of a lock that also records their failures and the loss in the audit log. A service
   * records the events of its locks itself.
   */
  RenewalListener recording(Actor actor, Lease lease, RenewalListener listener);

  /** This process as a lock names its holder; empty if unknown, or for a service, which cannot see this process. */
  Optional<HolderProcess> thisProcess();

  /** Releases a lock; {@code failureStep} names the step that failed, if one did. */
  ReleaseOutcome release(Actor actor, LeaseName name, Owner by, FencingToken token, Locks.Result result,
      @Nullable String failureStep);

  /** The view of one lock. */
  LockView view(LeaseName name);

  /** The views of all locks. */
  List<LockView> list();

  /** The number of requests that wait for a lock; a service's number is from the last view. */
  int waiters(LeaseName name);

  /** Whether the caller is certainly an operator, as everyone is on the files of a home. */
  boolean callerIsOperator();

  /** The outcome of a renewal as a renewer needs it. */
  static Renewal.Result result(RenewOutcome outcome) {
    return switch (outcome) {
      case RenewOutcome.Renewed(HeldLease held, long _) -> new Renewal.Renewed(held);
      case RenewOutcome.Gone() -> gone();
      case RenewOutcome.Taken(Lease by) -> taken(by);
      case RenewOutcome.Refused(Decision.OfRun(RequestId run, var _, var _)) ->
        new Renewal.Lost("held by run " + run, null);
      case RenewOutcome.Refused(Decision.Refusal refusal) ->
        new Renewal.Failed(RefusalKind.of(refusal).code().code());
    };
  }

  /** The loss of a lock that was removed. */
  static Renewal.Lost gone() {
    return new Renewal.Lost("lock is gone", null);
  }

  /** The loss of a lock that another holder has. */
  static Renewal.Lost taken(Lease by) {
    return new Renewal.Lost("held by " + by.requestId(), by);
  }

  /**
   * A request to remove a lock with any holder.
   *
   * @param reason why, for the audit log
   * @param abandons whether to take the lock even from a live run, which then stops without it
   */
  record ForcedRelease(RequestId requestId, String reason, boolean abandons) {}
}

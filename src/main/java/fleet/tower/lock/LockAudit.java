package fleet.tower.lock;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.platform.time.TimeSource;

/**
 * Writes the outcomes of lock operations to the audit log.
 *
 * @param pathOf the place of a lock in its store
 *
 * @param auditsRenewals whether to audit every renewal, not only late ones
 */
record LockAudit(AuditLog log, Function<LeaseName, String> pathOf, TimeSource time, boolean auditsRenewals) {

  /** A request was granted or refused. */
  void answered(AcquireRequest request, AcquireOutcome outcome) {
    switch (outcome) {
      case AcquireOutcome.Granted(var held, var previous) -> granted(request, held.lease(), previous);
      case AcquireOutcome.Kept _ -> {
      }
      case AcquireOutcome.Refused(var refusal) -> refused(request, refusal);
      case AcquireOutcome.Undone undone -> undone(request, undone);
    }
  }

  private void refused(AcquireRequest request, Decision.Refusal refusal) {
    log.append(new AuditEvent.LockBlocked(request.requestId(), time.now(), request.name(),
        RefusalKind.of(refusal).code().code(), refusal.lease(), origin(request)));
  }

  private static Origin origin(AcquireRequest request) {
    return Origin.of(request.actor(), request.holder());
  }

  private void granted(AcquireRequest request, Lease lease, @Nullable PreviousLock previous) {
    Origin origin = origin(request).because(request.reason());
    AuditEvent acquired = new AuditEvent.LockAcquired(lease.requestId(), lease.createdAt(), lease.name(),
        pathOf.apply(lease.name()), lease.ttl(), origin);
    if (previous == null) {
      log.append(acquired);
    } else {
      log.append(new AuditEvent.LockStolen(lease.requestId(), lease.createdAt(), lease.name(),
          requireNonNull(previous.lease()), previous.hash(), origin), acquired);
    }
  }

  /**
   * Audits an undone grant. The lock was never held, so it is audited only if others can see the effect: a stale lock
   * was lost with it, or the file still exists. Its refusal by a halt is audited as any other.
   */
  private void undone(AcquireRequest request, AcquireOutcome.Undone undone) {
    Lease lease = undone.lease();
    if (undone.previous() != null) {
      granted(request, lease, undone.previous());
    }
    if (undone.leftBehind()) {
      log.append(new AuditEvent.LockReleaseFailed(lease.requestId(), time.now(), lease.name(),
          pathOf.apply(lease.name()), undone.error(), origin(request)));
    } else if (undone.previous() != null) {
      log.append(new AuditEvent.LockReleased(lease.requestId(), time.now(), lease.name(), 0,
          Locks.Result.FAILURE.toString(), null, origin(request)));
    }
    AcquireOutcome.Refused halted = undone.refusal();
    if (halted != null) {
      refused(request, halted.refusal());
    }
  }

  /** Audits a late renewal always, one in time only if all renewals are audited. */
  void renewed(Actor actor, RenewOutcome outcome) {
    switch (outcome) {
      case RenewOutcome.Renewed(HeldLease held, long late) when late > 0 || auditsRenewals -> {
        Lease lease = held.lease();
        log.append(new AuditEvent.LockRenewed(lease.requestId(), lease.lastHeartbeatAt(), lease.name(), lease.token(),
            late, Origin.of(actor, lease.holder())));
      }
      case RenewOutcome.Renewed _,RenewOutcome.Gone _,RenewOutcome.Taken _,RenewOutcome.Refused _ -> {
      }
    }
  }

  void released(Actor actor, ReleaseOutcome outcome, Locks.Result result, @Nullable String failureStep) {
    switch (outcome) {
      case ReleaseOutcome.Released(Lease lease, Instant at) ->
        log.append(new AuditEvent.LockReleased(lease.requestId(), at, lease.name(), heldSeconds(lease, at),
            result.toString(), failureStep, Origin.of(actor, lease.holder())));
      case ReleaseOutcome.Failed(Lease lease, Instant at, String error) ->
        log.append(new AuditEvent.LockReleaseFailed(lease.requestId(), at, lease.name(), pathOf.apply(lease.name()),
            error, Origin.of(actor, lease.holder())));
      case ReleaseOutcome.Absent _,ReleaseOutcome.NotOwner _,ReleaseOutcome.Refused _ -> {
      }
    }
  }

  private static long heldSeconds(Lease lease, Instant at) {
    return Math.max(0, Duration.between(lease.createdAt(), at).toSeconds());
  }

  /** @param isAbandoned whether the lease was taken from a live run */
  void forceReleased(Actor actor, LeaseName name, ForceReleaseOutcome outcome, ForcedRelease request,
      Predicate<Lease> isAbandoned) {
    switch (outcome) {
      case ForceReleaseOutcome.Removed(PreviousLock previous, Instant at) ->
        log.append(new AuditEvent.LockForceReleased(request.requestId(), at, name, pathOf.apply(name),
            request.reason(), previous.lease(), previous.hash(),
            previous.lease() != null && isAbandoned.test(previous.lease()), Origin.of(actor)));
      case ForceReleaseOutcome.Failed(Instant at, String error) ->
        log.append(new AuditEvent.LockReleaseFailed(request.requestId(), at, name, pathOf.apply(name), error,
            Origin.of(actor)));
      case ForceReleaseOutcome.Spared _,ForceReleaseOutcome.Absent _ -> {
      }
    }
  }
}

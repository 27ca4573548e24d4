package fleet.tower.lock;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Decision;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.HeldLease;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lock.LockClient.ForcedRelease;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.SyncGroup;

/** Changes of locks, each with its audit events: both are synced together. */
record AuditedStore(LockStore store, LockAudit audit, GrantRules rules) {

  /** Requests a lock; audits the outcome if it is the answer, but not if the request continues to wait. */
  AcquireOutcome acquire(AcquireRequest request, Predicate<AcquireOutcome> isAnswer) {
    AcquireOutcome settled = SyncGroup.together(() -> {
      AcquireOutcome outcome = closed(request).orElseGet(() -> limited(request));
      if (isAnswer.test(outcome)) {
        audit.answered(request, outcome);
      }
      return outcome;
    }, (outcome, failure) -> giveBack(request, outcome, failure));
    AcquireOutcome halted = settled instanceof AcquireOutcome.Undone undone ? undone.refusal() : null;
    return halted == null ? settled : halted;
  }

  /** The refusal by the rules of the home; empty if they allow the request, or if its owner holds the lock already. */
  private Optional<AcquireOutcome> closed(AcquireRequest request) {
    return rules.refusal(request.subject())
        .filter(_ -> !(store.view(request.name()).decide(request) instanceof Decision.Keep))
        .map(AcquireOutcome.Refused::new);
  }

  /** Acquires a lock, unless as many are held as the rules of the home allow. */
  private AcquireOutcome limited(AcquireRequest request) {
    List<HoldLimit> limits = rules.limits(request.subject());
    if (limits.isEmpty()) {
      return store.acquire(request);
    }
    AtomicReference<@Nullable AcquireOutcome> counted = new AtomicReference<>();
    try {
      return store.alone(() -> {
        AcquireOutcome outcome = overLimit(limits, request).orElseGet(() -> store.acquire(request));
        counted.set(outcome);
        return outcome;
      });
    } catch (StorageException e) {
      return undone(counted.get(), e, lease -> store.release(lease.name(), request.owner(), lease.token()));
    }
  }

  /** The refusal of a request that would be granted, but for the limits. */
  private Optional<AcquireOutcome> overLimit(List<HoldLimit> limits, AcquireRequest request) {
    return HoldLimit.reached(limits, request.holder().actor(), request.name(), store::list)
        .filter(_ -> switch (store.view(request.name()).decide(request)) {
          case Decision.Create _,Decision.Steal _ -> true;
          case Decision.Keep _,Decision.Refusal _ -> false;
        }).map(AcquireOutcome.Refused::new);
  }

  /** A grant that a power cut may lose does not count. */
  private AcquireOutcome giveBack(AcquireRequest request, AcquireOutcome outcome, StorageException failure) {
    return undone(outcome, failure, lease -> release(request.actor(), lease.name(), request.owner(), lease.token(),
        Locks.Result.FAILURE, null));
  }

  private static AcquireOutcome undone(@Nullable AcquireOutcome outcome, StorageException failure,
      Function<Lease, ReleaseOutcome> release) {
    if (!(outcome instanceof AcquireOutcome.Granted(HeldLease held, PreviousLock previous))) {
      throw failure;
    }
    Lease lease = held.lease();
    boolean isLeftBehind = true;
    try {
      isLeftBehind = release.apply(lease) instanceof ReleaseOutcome.Failed;
    } catch (StorageException e) {
      failure.addSuppressed(e);
    }
    return new AcquireOutcome.Undone(lease, previous, failure.publicMessage(), isLeftBehind);
  }

  ReleaseOutcome release(Actor actor, LeaseName name, Owner by, FencingToken token, Locks.Result result,
      @Nullable String failureStep) {
    return SyncGroup.together(() -> {
      ReleaseOutcome outcome = store.release(name, by, token);
      audit.released(actor, outcome, result, failureStep);
      return outcome;
    }, (outcome, failure) -> outcome);
  }

  /** @param isOfLiveRun whether a lease is left to its run, unless the request abandons that */
  ForceReleaseOutcome forceRelease(Actor actor, LeaseName name, ForcedRelease request, Predicate<Lease> isOfLiveRun) {
    return SyncGroup.together(() -> {
      ForceReleaseOutcome outcome = request.abandons()
          ? store.forceRelease(name)
          : store.forceRelease(name, isOfLiveRun);
      audit.forceReleased(actor, name, outcome, request, lease -> request.abandons() && isOfLiveRun.test(lease));
      return outcome;
    }, (outcome, failure) -> outcome);
  }
}

package fleet.tower.lock;

import java.time.Instant;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.FreezeStore.FreezeOutcome;
import fleet.tower.lock.FreezeStore.UnfreezeOutcome;

/** The freeze commands of operators: the store decides, and every change is written to the audit log afterwards. */
public final class Freezes {
  private final FreezeStore store;
  private final AuditLog audit;

  public Freezes(FreezeStore store, AuditLog audit) {
    this.store = store;
    this.audit = audit;
  }

  /** Blocks new holders of a name for a while. */
  public FreezeOutcome freeze(FreezeRequest request, @Nullable Door door) {
    FreezeOutcome outcome = store.freeze(request);
    if (outcome instanceof FreezeOutcome.AlreadyFrozen(FreezeState.Frozen(Freeze existing))
        && request.isSourceOf(existing)) {
      return new FreezeOutcome.Kept(existing);
    }
    switch (outcome) {
      case FreezeOutcome.Frozen(Freeze freeze) -> audit.append(new AuditEvent.LockFrozen(freeze.requestId(),
          freeze.createdAt(), freeze.name(), audited(freeze),
          Origin.of(new Actor(freeze.actor(), freeze.onBehalfOf(), door))));
      case FreezeOutcome.Kept _,FreezeOutcome.AlreadyFrozen _ -> {
      }
    }
    return outcome;
  }

  /** Lifts a freeze, whoever set it, and records who lifted it in the audit log. */
  public UnfreezeOutcome unfreeze(Actor actor, LeaseName name, RequestId requestId) {
    UnfreezeOutcome outcome = store.unfreeze(name);
    switch (outcome) {
      case UnfreezeOutcome.Unfrozen(FreezeState lifted, Instant at) -> audit
          .append(new AuditEvent.LockUnfrozen(requestId, at, name, audited(lifted), Origin.of(actor)));
      case UnfreezeOutcome.NotFrozen() -> {
      }
    }
    return outcome;
  }

  /** All frozen names with their freezes. */
  public SortedMap<LeaseName, FreezeState> list() {
    return store.freezes();
  }

  private static AuditEvent.@Nullable FreezeTerms audited(FreezeState state) {
    return state instanceof FreezeState.Frozen(Freeze freeze) ? audited(freeze) : null;
  }

  private static AuditEvent.FreezeTerms audited(Freeze freeze) {
    return new AuditEvent.FreezeTerms(freeze.actor(), freeze.reason(), freeze.ttl(), freeze.expiresAt(),
        freeze.onBehalfOf());
  }
}

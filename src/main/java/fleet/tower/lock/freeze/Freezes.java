package fleet.tower.lock.freeze;

import static java.util.Objects.requireNonNull;

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

/** Freezes as operators use them: the store decides, and every change is told to the audit log behind it. */
public final class Freezes implements FreezeClient {
  private final FreezeStore store;
  private final AuditLog audit;

  public Freezes(FreezeStore store, AuditLog audit) {
    this.store = requireNonNull(store);
    this.audit = requireNonNull(audit);
  }

  @Override
  public FreezeOutcome freeze(FreezeRequest request, @Nullable Door door) {
    FreezeOutcome outcome = store.freeze(request);
    if (outcome instanceof FreezeOutcome.AlreadyFrozen(FreezeState.Frozen(Freeze standing))
        && request.hasMade(standing)) {
      return new FreezeOutcome.Kept(standing);
    }
    switch (outcome) {
      case FreezeOutcome.Frozen(Freeze freeze) -> audit.append(new AuditEvent.LockFrozen(freeze.requestId(),
          freeze.createdAt(), freeze.name(), told(freeze),
          Origin.of(new Actor(freeze.actor(), freeze.onBehalfOf(), door))));
      case FreezeOutcome.Kept _,FreezeOutcome.AlreadyFrozen _ -> {
      }
    }
    return outcome;
  }

  @Override
  public UnfreezeOutcome unfreeze(Actor actor, LeaseName name, RequestId requestId) {
    UnfreezeOutcome outcome = store.unfreeze(name);
    switch (outcome) {
      case UnfreezeOutcome.Unfrozen(FreezeState lifted, Instant at) -> audit
          .append(new AuditEvent.LockUnfrozen(requestId, at, name, told(lifted), Origin.of(actor)));
      case UnfreezeOutcome.NotFrozen() -> {
      }
    }
    return outcome;
  }

  /** All names that are frozen, and by what. */
  public SortedMap<LeaseName, FreezeState> list() {
    return store.freezes();
  }

  private static AuditEvent.@Nullable FreezeTerms told(FreezeState frost) {
    return frost instanceof FreezeState.Frozen(Freeze freeze) ? told(freeze) : null;
  }

  private static AuditEvent.FreezeTerms told(Freeze freeze) {
    return new AuditEvent.FreezeTerms(freeze.actor(), freeze.reason(), freeze.ttl(), freeze.expiresAt(),
        freeze.onBehalfOf());
  }
}

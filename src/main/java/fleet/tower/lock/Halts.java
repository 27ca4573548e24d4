package fleet.tower.lock;

import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.HaltStore.LiftOutcome;
import fleet.tower.lock.HaltStore.PlaceOutcome;

/**
 * The halts of a home, those of its store and of its file {@link #FILE}. Operators place and lift those of the store;
 * every change is written to the audit log afterwards.
 */
public final class Halts implements HaltSource {
  /** The file of a home that halts everything; also the name of that halt. */
  public static final String FILE = "HALT";

  private final HaltStore store;
  private final HaltSource all;
  private final AuditLog audit;

  /** @param others the halts that are not in the store, such as that by {@link #FILE} */
  public Halts(HaltStore store, HaltSource others, AuditLog audit) {
    this.store = store;
    this.all = store.and(others);
    this.audit = audit;
  }

  @Override
  public InForce inForce() {
    return all.inForce();
  }

  @Override
  public List<HaltSource> parts() {
    return all.parts();
  }

  /** Places a halt, or replaces one. */
  public PlaceOutcome place(HaltRequest request, @Nullable Door door) {
    PlaceOutcome outcome = store.place(request);
    switch (outcome) {
      case PlaceOutcome.Placed(Halt halt, var _) -> audit.append(new AuditEvent.HaltPlaced(halt.requestId(),
          halt.createdAt(), halt.name(), audited(halt),
          Origin.of(new Actor(halt.actor(), halt.onBehalfOf(), door))));
      case PlaceOutcome.Kept _ -> {
      }
    }
    return outcome;
  }

  /** Lifts a halt, whoever placed it. */
  public LiftOutcome lift(Actor actor, String name, RequestId requestId) {
    LiftOutcome outcome = store.lift(name);
    switch (outcome) {
      case LiftOutcome.Lifted(Halt halt, var at) -> audit.append(new AuditEvent.HaltLifted(requestId, at, name,
          halt == null ? null : audited(halt), Origin.of(actor)));
      case LiftOutcome.Absent() -> {
      }
    }
    return outcome;
  }

  private static AuditEvent.HaltTerms audited(Halt halt) {
    Halt.Scope scope = halt.scope();
    return new AuditEvent.HaltTerms(halt.actor(), halt.onBehalfOf(), halt.level().toString(),
        new AuditEvent.HaltScope(scope.actors(), scope.intents(), scope.locks(), scope.all()), halt.reason(),
        halt.expiresAt());
  }
}

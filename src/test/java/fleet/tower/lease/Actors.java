package fleet.tower.lease;

import java.util.List;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.EventNames;
import fleet.tower.audit.Origin;

/** Actors for tests in which the actor does not matter. */
public final class Actors {
  public static final Actor ACTOR = new Actor("anna", Door.CLI);
  public static final Origin ORIGIN = Origin.of(ACTOR);

  private Actors() {}

  /** The origin of a request with only a holder. */
  public static Origin of(Holder holder) {
    return Origin.of(new Actor(holder.actor(), null, null), holder);
  }

  /** An event of the specification followed by its actor, as in the log. */
  public static List<AuditEvent> pair(AuditEvent.OfSpecification event) {
    return List.of(event, new AuditEvent.LockActor(event.requestId(), event.timestamp(), event.lockName(),
        EventNames.of(event), event.origin()));
  }
}

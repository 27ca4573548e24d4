package fleet.tower.lease;

import java.util.List;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.EventNames;
import fleet.tower.audit.Origin;

/** Those who act in tests where it does not matter who does. */
public final class Actors {
  public static final Actor ACTOR = new Actor("anna", Door.CLI);
  public static final Origin ORIGIN = Origin.of(ACTOR);

  private Actors() {}

  /** Who asks for a lock with no more to tell than its holder. */
  public static Origin of(Holder holder) {
    return Origin.of(new Actor(holder.actor(), null, null), holder);
  }

  /** What the log has of an event of the specification: the event, and who caused it. */
  public static List<AuditEvent> pair(AuditEvent.OfSpecification event) {
    return List.of(event, new AuditEvent.LockActor(event.requestId(), event.timestamp(), event.lockName(),
        EventNames.of(event), event.origin()));
  }
}

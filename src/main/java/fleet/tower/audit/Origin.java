package fleet.tower.audit;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Holder;

/**
 * The origin of an event: its actor, the intent, and the process that works for the actor. Unknown values are null.
 *
 * @param reason why the actor acts, in its own words; null if it gave none
 */
public record Origin(Actor actor, @Nullable String intent, @Nullable String hostId, @Nullable Long pid,
    @Nullable String reason) {

  /** An actor without further information. */
  public static Origin of(Actor actor) {
    return new Origin(actor, null, null, null, null);
  }

  /** An actor that holds or requests a lease. */
  public static Origin of(Actor actor, Holder holder) {
    return new Origin(actor, holder.intent(), holder.hostId(), holder.pid(), null);
  }

  /** The same origin with a reason. */
  public Origin because(@Nullable String why) {
    return new Origin(actor, intent, hostId, pid, why);
  }
}

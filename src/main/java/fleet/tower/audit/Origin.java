package fleet.tower.audit;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Holder;

/**
 * Who caused an event, and what that actor says of its work: the intent, and the process that works. What is not known is null.
 */
public record Origin(Actor actor, @Nullable String intent, @Nullable String hostId, @Nullable Long pid) {
  public Origin {
    requireNonNull(actor);
  }

  /** An actor of whose work nothing is known. */
  public static Origin of(Actor actor) {
    return new Origin(actor, null, null, null);
  }

  /** An actor who holds a lease, or asks for one. */
  public static Origin of(Actor actor, Holder holder) {
    return new Origin(actor, holder.intent(), holder.hostId(), holder.pid());
  }
}

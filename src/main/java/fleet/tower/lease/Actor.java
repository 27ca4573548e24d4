package fleet.tower.lease;

import org.jspecify.annotations.Nullable;

/**
 * The actor of an operation, for the audit log; it grants no rights.
 *
 * @param onBehalfOf the person or program for whom the actor claims to act; null if it acts for itself
 * @param door the interface through which the request came in; null if it is not known
 */
public record Actor(String name, @Nullable String onBehalfOf, @Nullable Door door) {
  /** An actor that acts for itself. */
  public Actor(String name, Door door) {
    this(name, null, door);
  }
}

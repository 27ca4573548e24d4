package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * Who does something, for the audit log. It gives no right.
 *
 * @param onBehalfOf for whom the actor says to act; null for nobody else
 * @param door the way by which the request came in; null where a run was recorded by a release that did not keep it
 */
public record Actor(String name, @Nullable String onBehalfOf, @Nullable Door door) {
  public Actor {
    requireNonNull(name);
  }

  /** An actor who acts for nobody else. */
  public Actor(String name, Door door) {
    this(name, null, door);
  }
}

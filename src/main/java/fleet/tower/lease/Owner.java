package fleet.tower.lease;

import org.jspecify.annotations.Nullable;

/**
 * The owner of a lease: a request of an actor, made by a client or by the executor of a run. The request id alone
 * proves nothing, because everyone who can see the lease can see it; nor does the actor of a run, who requested it.
 *
 * @param actor null if the caller may act for every actor, so that only the request id is compared
 */
public record Owner(RequestId requestId, @Nullable String actor, Kind kind) {
  /** The program that holds a lease; neither kind ever owns a lease of the other. */
  public enum Kind {
    /** Whoever calls at a door. */
    CLIENT,
    /** The executor of a run. */
    RUN
  }

  /** An owner named by a client. */
  public static Owner ofClient(RequestId requestId, @Nullable String actor) {
    return new Owner(requestId, actor, Kind.CLIENT);
  }

  /** An owner named by a client that may act for every actor. */
  public static Owner ofAnyActor(RequestId requestId) {
    return ofClient(requestId, null);
  }

  /** A run, named by its executor. */
  public static Owner ofRun(RequestId requestId, String actor) {
    return new Owner(requestId, actor, Kind.RUN);
  }

  /** Whether the request has this id. */
  boolean hasId(RequestId request) {
    // By their values: a record's equals is generated on its first call, which costs a short command 6 ms.
    return requestId.value().equals(request.value());
  }

  /** Whether a request of an actor belongs to this owner, whatever its kind. */
  boolean matches(RequestId request, String holder) {
    return hasId(request) && (actor == null || actor.equals(holder));
  }
}

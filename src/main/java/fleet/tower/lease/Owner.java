package fleet.tower.lease;

import org.jspecify.annotations.Nullable;

/**
 * The owner of a lease: a request of an actor. The request id alone proves nothing, because everyone who can see the
 * lease can see it.
 *
 * @param actor null if the caller may act for every actor, so that only the request id is compared
 */
public record Owner(RequestId requestId, @Nullable String actor) {
  /** An owner named by a caller that may act for every actor. */
  public static Owner ofAnyActor(RequestId requestId) {
    return new Owner(requestId, null);
  }

  /** Whether a request of an actor belongs to this owner. */
  boolean matches(RequestId request, String holder) {
    // By their values: a record's equals is generated on its first call, which costs a short command 6 ms.
    return requestId.value().equals(request.value()) && (actor == null || actor.equals(holder));
  }
}

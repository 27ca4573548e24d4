package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

/**
 * Whose a lease is: a request of an actor. The request id alone proves nothing, because everybody who can see a lease can see
 * it.
 *
 * @param actor null where the caller may act for every actor, so that only the request is compared
 */
public record Owner(RequestId requestId, @Nullable String actor) {
  public Owner {
    requireNonNull(requestId);
  }

  /** The owner as a caller names it who is trusted with the leases of every actor. */
  public static Owner ofAnyActor(RequestId requestId) {
    return new Owner(requestId, null);
  }

  /** Whether a request of that actor is this owner's. */
  boolean matches(RequestId request, String holder) {
    // By their values: a record's own equals is put together when it is first called, which takes a short command 6 ms.
    return requestId.value().equals(request.value()) && (actor == null || actor.equals(holder));
  }
}

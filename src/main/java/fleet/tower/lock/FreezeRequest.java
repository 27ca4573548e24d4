package fleet.tower.lock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.Timestamps;

/**
 * A request to block new holders of a name for a while, with a reason.
 *
 * @param onBehalfOf on whose behalf the actor claims to act
 */
public record FreezeRequest(LeaseName name, RequestId requestId, String actor, String reason, Ttl ttl,
    @Nullable String onBehalfOf) {
  public static final int MAX_REASON = 1000;
  private static final int MAX_ACTOR = 512;

  public FreezeRequest {
    if (actor.isEmpty() || actor.length() > MAX_ACTOR) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "actor must have 1 to " + MAX_ACTOR + " characters, not " + actor.length());
    }
    if (reason.isBlank() || reason.length() > MAX_REASON) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "reason must have 1 to " + MAX_REASON
          + " characters, which refused callers are shown"
          + (reason.isBlank() ? "" : "; it has " + reason.length()));
    }
    InvalidValue.requirePlainLines("actor", actor);
    InvalidValue.requirePlainLines("reason", reason);
  }

  /** Whether this very request created a freeze; a caller that missed the response sends it again. */
  boolean isSourceOf(Freeze freeze) {
    return freeze.equals(from(freeze.createdAt()));
  }

  /** The freeze that begins at {@code now}. */
  public Freeze from(Instant now) {
    return new Freeze(name, requestId, actor, reason, ttl, Timestamps.wholeSecond(now), onBehalfOf);
  }
}

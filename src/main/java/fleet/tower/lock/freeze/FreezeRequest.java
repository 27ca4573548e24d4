package fleet.tower.lock.freeze;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.Timestamps;

/**
 * Somebody wants that nobody new gets a name for a while, and says why.
 *
 * @param onBehalfOf for whom, as the actor says
 */
public record FreezeRequest(LeaseName name, RequestId requestId, String actor, String reason, Ttl ttl,
    @Nullable String onBehalfOf) {
  private static final int MAX_REASON = 1000;
  private static final int MAX_ACTOR = 512;

  public FreezeRequest {
    requireNonNull(name);
    requireNonNull(requestId);
    requireNonNull(ttl);
    if (actor.isEmpty() || actor.length() > MAX_ACTOR) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "actor must have 1 to " + MAX_ACTOR + " characters, not " + actor.length());
    }
    if (reason.isBlank() || reason.length() > MAX_REASON) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "reason must say why in 1 to " + MAX_REASON
          + " characters, for those who are refused" + (reason.isBlank() ? "" : ", not in " + reason.length()));
    }
  }

  /** Whether a freeze came of this very request, which somebody sends again who has not heard the answer. */
  boolean hasMade(Freeze freeze) {
    return freeze.equals(from(freeze.createdAt()));
  }

  /** The freeze that begins at {@code now}. */
  public Freeze from(Instant now) {
    return new Freeze(name, requestId, actor, reason, ttl, Timestamps.wholeSecond(now), onBehalfOf);
  }
}

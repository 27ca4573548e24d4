package fleet.tower.lock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.time.Timestamps;

/**
 * A block on new holders of a lock name, for a limited time. It needs no renewal and expires.
 *
 * @param onBehalfOf on whose behalf the actor claims to act
 *
 * @param requestId identifies the call that froze the name, for the audit log
 */
public record Freeze(LeaseName name, RequestId requestId, String actor, String reason, Ttl ttl, Instant createdAt,
    @Nullable String onBehalfOf) {
  /** The last moment at which the name is certainly frozen. */
  public Instant expiresAt() {
    return createdAt.plus(ttl.duration());
  }

  /** Strict, on whole seconds, like the staleness of a lease: never early, and at most a second late. */
  public boolean isOverAt(Instant now) {
    return Timestamps.wholeSecond(now).isAfter(expiresAt());
  }
}

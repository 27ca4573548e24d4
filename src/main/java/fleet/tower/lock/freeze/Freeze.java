package fleet.tower.lock.freeze;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.time.Timestamps;

/**
 * That somebody has stopped all new holders of a name for a while. It needs nobody to keep it alive and ends by itself.
 *
 * @param onBehalfOf for whom the actor says to have done it
 * @param requestId identifies the call that froze the name, for the audit log
 */
public record Freeze(LeaseName name, RequestId requestId, String actor, String reason, Ttl ttl, Instant createdAt,
    @Nullable String onBehalfOf) {
  public Freeze {
    requireNonNull(name);
    requireNonNull(requestId);
    requireNonNull(actor);
    requireNonNull(reason);
    requireNonNull(ttl);
    requireNonNull(createdAt);
  }

  /** By an actor who acted for nobody else. */
  public Freeze(LeaseName name, RequestId requestId, String actor, String reason, Ttl ttl, Instant createdAt) {
    this(name, requestId, actor, reason, ttl, createdAt, null);
  }

  /** The last moment at which the name is certainly frozen. */
  public Instant expiresAt() {
    return createdAt.plus(ttl.duration());
  }

  /** On whole seconds and strictly, as a lease goes stale: never early, and at most a second late. */
  public boolean isOverAt(Instant now) {
    return Timestamps.wholeSecond(now).isAfter(expiresAt());
  }
}

package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * Someone holds something for a while and has proven at {@code lastHeartbeatAt} that they live.
 *
 * @param metadata a JSON object as text, kept for its reader; the rules never look into it
 */
public record Lease(LeaseName name, RequestId requestId, FencingToken token, Holder holder, Instant createdAt,
    Instant lastHeartbeatAt, Ttl ttl, String metadata) {
  public Lease {
    requireNonNull(name);
    requireNonNull(requestId);
    requireNonNull(token);
    requireNonNull(holder);
    requireNonNull(createdAt);
    requireNonNull(lastHeartbeatAt);
    requireNonNull(ttl);
    requireNonNull(metadata);
  }

  /** The last moment at which the lease is certainly held; it is stale after it. */
  public Instant expiresAt() {
    return lastHeartbeatAt.plus(ttl.duration());
  }

  /** Whose it is. */
  public Owner owner() {
    return new Owner(requestId, holder.actor());
  }

  /** The holder in a few words. */
  public String describeHolder() {
    return or(holder.actor(), "an unnamed actor") + " on " + or(holder.hostId(), "an unnamed host") + " (intent "
        + or(holder.intent(), "not named") + ", request " + requestId + ")";
  }

  private static String or(String text, String other) {
    return text.isEmpty() ? other : text;
  }

  /** Whether {@code by} holds it; a token, where one is given, must be this tenure's. */
  public boolean isHeldBy(Owner by, FencingToken expected) {
    return by.matches(requestId, holder.actor()) && (expected.isNone() || expected.value() == token.value());
  }

  /** The same lease with a later proof of life. */
  public Lease renewedAt(Instant heartbeat) {
    return new Lease(name, requestId, token, holder, createdAt, heartbeat, ttl, metadata);
  }
}

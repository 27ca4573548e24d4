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

  /** Whether {@code by} holds it; a token, where one is given, must be this tenure's. */
  public boolean isHeldBy(RequestId by, FencingToken expected) {
    // By their values: a record's own equals is put together when it is first called, which takes a short command 6 ms.
    return requestId.value().equals(by.value()) && (expected.isNone() || expected.value() == token.value());
  }

  /** The same lease with a later proof of life. */
  public Lease renewedAt(Instant heartbeat) {
    return new Lease(name, requestId, token, holder, createdAt, heartbeat, ttl, metadata);
  }
}

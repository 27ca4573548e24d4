package fleet.tower.lease;

import java.time.Instant;

import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.text.VisibleText;

/**
 * A claim on a name for a limited time, whose holder proved to be alive at {@code lastHeartbeatAt}.
 *
 * @param metadata a JSON object as text, of which the rules read only {@link #HELD_FOR}
 */
public record Lease(LeaseName name, RequestId requestId, FencingToken token, Holder holder, Instant createdAt,
    Instant lastHeartbeatAt, Ttl ttl, String metadata) {
  /** The member of the metadata that marks the lease of a run. No client can set it. */
  public static final String HELD_FOR = "held_for";
  /** The value of {@link #HELD_FOR} in the lease of a run. */
  public static final String RUN = "run";

  /** The last moment at which the lease is certainly held; afterwards it is stale. */
  public Instant expiresAt() {
    return lastHeartbeatAt.plus(ttl.duration());
  }

  /** The owner of the lease. */
  public Owner owner() {
    return new Owner(requestId, holder.actor(), isOfRun() ? Owner.Kind.RUN : Owner.Kind.CLIENT);
  }

  /** Whether the lease was granted to a run. */
  public boolean isOfRun() {
    // The leases of most clients have no such member, and need not be parsed.
    return metadata.contains(HELD_FOR) && isMarked();
  }

  private boolean isMarked() {
    try {
      return JsonReader.readObject(metadata).text(HELD_FOR).filter(RUN::equals).isPresent();
    } catch (JsonException writtenByOthers) {
      return false;
    }
  }

  /** Whether a client named the run that holds the lease, which no client may use. */
  public boolean isOfRunNamedBy(Owner by) {
    return by.kind() == Owner.Kind.CLIENT && by.hasId(requestId) && isOfRun();
  }

  /** The holder in a few words. */
  public String describeHolder() {
    return describeHolder(holder.actor(), holder.hostId(), holder.intent(), requestId.value());
  }

  /** A holder in a sentence, of which some may be unknown. */
  public static String describeHolder(String actor, String hostId, String intent, String requestId) {
    return or(actor, "an unnamed actor") + " on " + or(hostId, "an unnamed host") + " (intent "
        + or(intent, "not named") + ", request " + VisibleText.quoted(requestId) + ")";
  }

  private static String or(String text, String other) {
    return text.isEmpty() ? other : VisibleText.quoted(text);
  }

  /** Whether {@code by} holds the lease with the expected token, if one is given. */
  public boolean isHeldBy(Owner by, FencingToken expected) {
    return by.matches(requestId, holder.actor()) && (expected.isNone() || expected.value() == token.value())
        && isOfRun() == (by.kind() == Owner.Kind.RUN);
  }

  /** The lease with a holder whose process is known to have ended. */
  public Lease ofGoneHolder() {
    return new Lease(name, requestId, token, new Holder(holder.actor(), holder.intent(), holder.intentVersion(),
        holder.hostId(), holder.pid(), true), createdAt, lastHeartbeatAt, ttl, metadata);
  }

  /** The lease with a later heartbeat. */
  public Lease renewedAt(Instant heartbeat) {
    return new Lease(name, requestId, token, holder, createdAt, heartbeat, ttl, metadata);
  }
}

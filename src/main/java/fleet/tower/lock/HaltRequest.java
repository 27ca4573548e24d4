package fleet.tower.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.Timestamps;

/**
 * A request to place a halt. One with the name of a halt in force replaces it.
 *
 * @param onBehalfOf on whose behalf the actor claims to act
 * @param ttl how long the halt stays in force; null for until it is lifted
 */
public record HaltRequest(String name, RequestId requestId, Halt.Scope scope, Halt.Level level, String actor,
    @Nullable String onBehalfOf, String reason, @Nullable Duration ttl) {
  /** The longest time that a halt can last, unless it stays until it is lifted. */
  public static final Duration LONGEST = Duration.ofDays(365);

  public HaltRequest {
    if (!LeaseName.isValid(name)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "halt name " + LeaseName.complaint(name));
    }
    if (reason.isBlank() || reason.length() > FreezeRequest.MAX_REASON) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "reason must have 1 to " + FreezeRequest.MAX_REASON
          + " characters, which refused callers are shown"
          + (reason.isBlank() ? "" : "; it has " + reason.length()));
    }
    InvalidValue.requirePlainLines("reason", reason);
    if (ttl != null && (ttl.compareTo(Duration.ofSeconds(1)) < 0 || ttl.compareTo(LONGEST) > 0)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "ttl " + ttl.toSeconds() + " s is outside 1 to "
          + LONGEST.toSeconds() + " seconds (365 days); without a ttl the halt stays until it is lifted");
    }
  }

  /** The halt that begins at {@code now}. */
  public Halt from(Instant now) {
    return new Halt(name, requestId, scope, level, actor, onBehalfOf, reason, ttl, Timestamps.wholeSecond(now));
  }

  /** Whether a halt is what this request asks for, by whatever call it was placed. */
  public boolean isMetBy(Halt halt) {
    return halt.scope().equals(scope) && halt.level() == level && halt.reason().equals(reason)
        && halt.actor().equals(actor) && Objects.equals(halt.ttl(), ttl);
  }
}

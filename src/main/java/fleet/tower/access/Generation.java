package fleet.tower.access;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * One of the tokens that a name has had. After a rotation the previous one stays valid until it expires.
 *
 * @param sha256 the token's digest, in lower case; the token itself is not stored
 *
 * @param created when it was created; null if unknown
 *
 * @param expires when it expires; null for never
 */
public record Generation(String sha256, @Nullable Instant created, @Nullable Instant expires) {
  public Generation {
    if (!sha256.matches("[0-9a-f]{64}")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "sha256 must be 64 characters of 0-9 a-f, as sha256sum prints for the token without a line end");
    }
  }

  /** Whether the token has expired. */
  public boolean isExpiredAt(Instant now) {
    return expires != null && !now.isBefore(expires);
  }

  /** The same token, which expires at a time at the latest. */
  public Generation until(Instant latest) {
    return expires != null && expires.isBefore(latest) ? this : new Generation(sha256, created, latest);
  }
}

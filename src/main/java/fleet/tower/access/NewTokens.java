package fleet.tower.access;

import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Tokens.OperatorToken;
import fleet.tower.access.Tokens.Rotation;
import fleet.tower.access.Tokens.TokenRequest;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/**
 * The rules by which tokens are created and replaced, the same for every store.
 *
 * @param random the source of new tokens; must not be predictable
 *
 * @param lifetime how old the tokens of others may become
 */
public record NewTokens(TimeSource time, RandomGenerator random, TokenLifetime lifetime) {
  private static final int RANDOM_BYTES = 32;

  /** A new unpredictable token. */
  public String next() {
    return next(random);
  }

  /** A new unpredictable token from another source. */
  public static String next(RandomGenerator random) {
    byte[] bytes = new byte[RANDOM_BYTES];
    random.nextBytes(bytes);
    return "tower_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** A token that is created now. */
  public Generation generation(String token, @Nullable Instant expires) {
    return new Generation(Digests.of(token), Timestamps.wholeSecond(time.now()), expires);
  }

  /** The rights that were requested, with a token. */
  public Grant grant(TokenRequest request, String token) {
    requireWithinLifetime(request.expires());
    return new Grant(request.name(), request.owner(), request.role(), request.scope(),
        generation(token, request.expires()), List.of());
  }

  /** The same rights with another token. */
  public Grant rotated(Grant grant, String token, Rotation rotation) {
    Instant now = time.now();
    requireWithinLifetime(rotation.expiry() == null ? null : rotation.expiry().at());
    Generation next = generation(token, rotation.expiry() == null ? grant.expires() : rotation.expiry().at());
    if (next.isExpiredAt(now)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "the token '" + grant.name() + "' has expired, and so would the"
          + " new one; give its expiry with --expires, such as --expires 90d or --expires never");
    }
    return grant.rotated(next, now, end(rotation.overlap()));
  }

  private void requireWithinLifetime(@Nullable Instant expires) {
    if (expires != null) {
      lifetime.require(expires, time.now());
    }
  }

  /** The operator's tokens that stay valid for a while after a rotation, the newest first. */
  public List<Generation> ending(OperatorToken operator, Duration overlap) {
    Instant now = time.now();
    Instant latest = end(overlap);
    return overlap.isZero()
        ? List.of()
        : Stream.concat(Stream.of(operator.current()), operator.previous().stream()).map(it -> it.until(latest))
            .filter(it -> !it.isExpiredAt(now)).toList();
  }

  private Instant end(Duration overlap) {
    return Timestamps.wholeSecond(time.now().plus(overlap));
  }
}

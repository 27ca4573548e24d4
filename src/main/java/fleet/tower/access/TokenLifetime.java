package fleet.tower.access;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.platform.Finding;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.platform.time.Timestamps;

/**
 * How old a token of others than the operator may become, whatever its own expiry is.
 *
 * @param span the time since its creation or rotation; zero for any
 */
public record TokenLifetime(Duration span) {
  /** A token may become as old as its own expiry allows. */
  public static final TokenLifetime ANY = new TokenLifetime(Duration.ZERO);
  private static final int SOON = 4;

  /** Whether it limits nothing. */
  public boolean isAny() {
    return span.isZero();
  }

  /** A grant, none of whose tokens is valid for longer. A token of unknown age is not valid at all. */
  public Grant of(Grant grant) {
    return isAny()
        ? grant
        : new Grant(grant.name(), grant.owner(), grant.role(), grant.scope(), of(grant.current()),
            grant.previous().stream().map(this::of).toList());
  }

  private Generation of(Generation token) {
    return token.until(token.created() == null ? Instant.EPOCH : token.created().plus(span));
  }

  /** Checks an expiry that is given to a token which is created now. */
  void require(Instant expires, Instant now) {
    if (!isAny() && expires.isAfter(now.plus(span))) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "a token is valid for at most " + TimeSpans.format(span)
          + " here (tower.tokens.lifetime), not until " + Timestamps.format(expires)
          + "; omit --expires, and rotate it in time");
    }
  }

  /** Whether the current token of a name is valid for less than a quarter of this time. */
  public boolean endsSoon(Grant grant, Instant now) {
    Instant end = of(grant.current()).expires();
    return !isAny() && end != null && now.isBefore(end) && now.plusSeconds(span.toSeconds() / SOON).isAfter(end);
  }

  /** What an operator should do about tokens that have ended, or end soon. */
  public List<Finding> examine(String check, List<Grant> grants, Instant now) {
    List<Finding> findings = new ArrayList<>();
    for (Grant grant : grants) {
      String rotation = "tower token rotate " + grant.name();
      if (grant.isExpiredAt(now)) {
        findings.add(Finding.warn(check, "'" + grant.name() + "' has expired", "tower token revoke " + grant.name()));
      } else if (of(grant).isExpiredAt(now)) {
        findings.add(Finding.warn(check, "'" + grant.name() + "' is not accepted: "
            + (grant.current().created() == null ? "its age is unknown" : "it is older than " + TimeSpans.format(span)),
            rotation));
      } else if (endsSoon(grant, now)) {
        findings.add(Finding.warn(check, "'" + grant.name() + "' ends soon", rotation));
      }
    }
    return findings;
  }
}

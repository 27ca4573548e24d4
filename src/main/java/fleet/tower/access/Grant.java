package fleet.tower.access;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * What was given to whoever has a token; the token itself is known to nobody but him.
 *
 * @param sha256 the token's digest, in lower case
 * @param intents the only intents that may be run with it; empty for all
 * @param expires from when on it is worth nothing; null for never
 */
public record Grant(String name, Role role, String sha256, List<IntentPattern> intents, @Nullable Instant expires) {
  /** The bootstrap token's, and what the service itself does things as. */
  private static final List<String> RESERVED = List.of("operator", "schedule");

  public Grant {
    requireNonNull(role);
    intents = List.copyOf(intents);
    if (!name.matches("[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,62}[A-Za-z0-9])?")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "name " + InvalidValue.shown(name)
          + " must be 1 to 64 of letters, digits and . _ @ -, with a letter or digit at both ends");
    }
    if (RESERVED.contains(name)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "name '" + name
          + "' is the service's own, and nobody could tell the two apart; choose another");
    }
    if (!sha256.matches("[0-9a-f]{64}")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "sha256 must be 64 of 0-9 and a-f, as sha256sum prints it for the token without a line end");
    }
    if (!intents.isEmpty() && role != Role.AGENT) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "intents are for agents: "
          + (role == Role.VIEWER ? "a viewer runs none" : "an operator may do everything"));
    }
  }

  /** Whether it is worth nothing any more. */
  public boolean isExpiredAt(Instant now) {
    return expires != null && !now.isBefore(expires);
  }

  /** Whoever shows the token. */
  public Caller caller() {
    return new Caller(name, role, intents);
  }
}

package fleet.tower.access;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/**
 * The rights of a token's bearer; the token itself is not stored.
 *
 * @param sha256 the token's digest, in lower case
 *
 * @param intents the intents that it may run; empty for all
 *
 * @param expires when it expires; null for never
 */
public record Grant(String name, Role role, String sha256, List<IntentPattern> intents, @Nullable Instant expires) {
  /** The names of the bootstrap token and of the service's own actor. */
  private static final List<String> RESERVED = List.of("operator", "schedule");

  public Grant {
    intents = List.copyOf(intents);
    if (!name.matches("[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,62}[A-Za-z0-9])?")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "name " + InvalidValue.shown(name)
          + " must have 1 to 64 letters, digits and . _ @ -, and begin and end with a letter or digit");
    }
    if (RESERVED.contains(name)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "name '" + name
          + "' is reserved for the service; choose another");
    }
    if (!sha256.matches("[0-9a-f]{64}")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "sha256 must be 64 characters of 0-9 a-f, as sha256sum prints for the token without a line end");
    }
    if (!intents.isEmpty() && role != Role.AGENT) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "intents are for agents: "
          + (role == Role.VIEWER ? "a viewer runs no intents" : "an operator may do everything"));
    }
  }

  /** Whether the token has expired. */
  public boolean isExpiredAt(Instant now) {
    return expires != null && !now.isBefore(expires);
  }

  /** The bearer of the token. */
  public Caller caller() {
    return Caller.of(name, role, intents);
  }
}

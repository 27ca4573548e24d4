package fleet.tower.access;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.text.VisibleText;

/**
 * The rights of a name, and its tokens.
 *
 * @param owner the person who answers for it, such as {@code ada} or {@code oidc:ISSUER#SUBJECT}; null for the name
 *     itself
 *
 * @param previous the tokens before the current one, the newest first; each expires
 */
public record Grant(String name, @Nullable String owner, Role role, Scope scope, Generation current,
    List<Generation> previous) {
  /** The most previous tokens of a name. */
  public static final int MAX_PREVIOUS = 10;
  private static final int MAX_OWNER = 512;
  /** The names of the bootstrap token and of the service's own actors. */
  private static final List<String> RESERVED = List.of("operator", "schedule", "policy");

  public Grant {
    previous = List.copyOf(previous);
    if (!name.matches("[A-Za-z0-9](?:[A-Za-z0-9._@-]{0,62}[A-Za-z0-9])?")) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "name " + InvalidValue.shown(name)
          + " must have 1 to 64 letters, digits and . _ @ -, and begin and end with a letter or digit");
    }
    if (RESERVED.contains(name)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "name '" + name
          + "' is reserved for the service; choose another");
    }
    if (owner != null && !isPrincipal(owner)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "owner " + InvalidValue.shown(owner) + " must be a person, such as ada, in at"
              + " most " + MAX_OWNER + " printable characters without a space at either end, or a login as"
              + " oidc:ISSUER#SUBJECT");
    }
    require(scope.intents(), role, "intents", "runs no intents");
    require(scope.locks(), role, "locks", "holds no locks");
    require(scope.mailboxes(), role, "mailboxes", "uses no mailboxes");
    require(scope.tasks(), role, "tasks", "works on no tasks");
  }

  private static boolean isPrincipal(String owner) {
    return !owner.isEmpty() && owner.length() <= MAX_OWNER && owner.equals(owner.strip()) && VisibleText.isPlain(owner)
        && (!owner.startsWith("oidc:") || owner.matches("oidc:[^#]+#.+"));
  }

  private static void require(List<?> limits, Role role, String what, String why) {
    if (!limits.isEmpty() && role != Role.AGENT) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, what + " are for agents: "
          + (role == Role.VIEWER ? "a viewer " + why : "an operator may do everything"));
    }
  }

  /** When the current token expires; null for never. */
  public @Nullable Instant expires() {
    return current.expires();
  }

  /** Whether the current token has expired. */
  public boolean isExpiredAt(Instant now) {
    return current.isExpiredAt(now);
  }

  /** The current token and the previous ones. */
  public Stream<Generation> generations() {
    return Stream.concat(Stream.of(current), previous.stream());
  }

  /** The bearer of a token. */
  public Caller caller() {
    return Caller.of(name, owner == null ? name : owner, role, scope);
  }

  /** With a new current token. The previous tokens end at a time at the latest; expired ones are dropped. */
  public Grant rotated(Generation next, Instant now, Instant latest) {
    List<Generation> valid = generations().map(it -> it.until(latest)).filter(it -> !it.isExpiredAt(now)).toList();
    if (valid.size() > MAX_PREVIOUS) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "'" + name + "' has " + valid.size()
          + " tokens that are still valid; end them with --overlap 0s, or rotate when one has expired");
    }
    return new Grant(name, owner, role, scope, next, valid);
  }
}

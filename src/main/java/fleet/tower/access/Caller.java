package fleet.tower.access;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.platform.InvalidValue;

/**
 * Somebody whose token is known.
 *
 * @param name the token's name; the actor of everything that is done with it
 * @param intents the only intents that the caller may plan and run; empty for all
 * @param onBehalfOf for whom the caller says to act; it is written down, and gives no right
 * @param credential what the caller was let in with; whoever keeps a caller waiting asks it again
 * @param door the way by which the call comes in, as the caller says; it is written down, and gives no right
 */
public record Caller(String name, Role role, List<IntentPattern> intents, @Nullable String onBehalfOf,
    Credential credential, Door door) {
  private static final int MAX_LENGTH = 512;

  public Caller {
    requireNonNull(name);
    requireNonNull(role);
    requireNonNull(credential);
    requireNonNull(door);
    intents = List.copyOf(intents);
  }

  /** A caller over HTTP. */
  public Caller(String name, Role role, List<IntentPattern> intents, @Nullable String onBehalfOf,
      Credential credential) {
    this(name, role, intents, onBehalfOf, credential, Door.HTTP);
  }

  /** A caller over HTTP whose credential lasts. */
  public Caller(String name, Role role, List<IntentPattern> intents, @Nullable String onBehalfOf) {
    this(name, role, intents, onBehalfOf, Credential.LASTING);
  }

  /** A caller who may run every intent that his role may, and acts for nobody else. */
  public Caller(String name, Role role) {
    this(name, role, List.of());
  }

  /** A caller over HTTP who acts for nobody else. */
  public Caller(String name, Role role, List<IntentPattern> intents) {
    this(name, role, intents, null);
  }

  /** The caller as the audit log names it. */
  public Actor actor() {
    return new Actor(name, onBehalfOf, door);
  }

  /** Refuses a caller whose role is not enough; {@code what} as in "you may not freeze a lock". */
  public void require(Role needed, String what) {
    if (!role.covers(needed)) {
      throw new Forbidden(Forbidden.Reason.ROLE_TOO_LOW, "'" + name + "' is " + role + " and may not " + what
          + "; that needs the role " + needed, needed);
    }
  }

  /** Refuses a caller who would end or keep alive what belongs to somebody else, unless he is an operator. */
  public void requireOwn(String owner, String what) {
    if (!owner.equals(name) && !role.covers(Role.OPERATOR)) {
      throw new Forbidden(Forbidden.Reason.NOT_YOURS, "'" + name + "' is " + role + " and may not " + what
          + ", which belongs to '" + owner + "'; that needs the role " + Role.OPERATOR, Role.OPERATOR);
    }
  }

  /** Refuses a caller whose token is for other intents than this. */
  public void requireIntent(String intent) {
    if (!intents.isEmpty() && intents.stream().noneMatch(pattern -> pattern.matches(intent))) {
      throw new Forbidden(Forbidden.Reason.INTENT_NOT_ALLOWED, "'" + name + "' may run "
          + String.join(", ", intents.stream().map(IntentPattern::text).toList()) + ", and not "
          + InvalidValue.shown(intent), null);
    }
  }

  /** The same caller, acting for somebody. */
  public Caller onBehalfOf(String somebody) {
    if (somebody.isBlank() || somebody.length() > MAX_LENGTH || !isPrintable(somebody)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "X-Actor must be 1 to " + MAX_LENGTH + " printable characters; leave it out to act for nobody else");
    }
    return new Caller(name, role, intents, somebody, credential, door);
  }

  /** The same caller, let in with this. */
  public Caller with(Credential shown) {
    return new Caller(name, role, intents, onBehalfOf, shown, door);
  }

  /** The same caller, coming in by another door. */
  public Caller through(Door other) {
    return new Caller(name, role, intents, onBehalfOf, credential, other);
  }

  /** Two callers are equal whatever they were let in with, and by whatever door. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Caller caller && name.equals(caller.name) && role == caller.role
        && intents.equals(caller.intents) && Objects.equals(onBehalfOf, caller.onBehalfOf);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, role, intents, onBehalfOf);
  }

  /** Whether a text can be shown to people and written into logs as it is. */
  public static boolean isPrintable(String text) {
    return text.codePoints().allMatch(c -> switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR, Character.UNASSIGNED ->
        false;
      default -> true;
    });
  }
}

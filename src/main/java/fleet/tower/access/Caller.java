package fleet.tower.access;

import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.InvalidValue;

/**
 * Somebody whose token is known.
 *
 * @param name the token's name; the actor of everything that is done with it
 * @param onBehalfOf for whom the caller says to act; it is written down, and gives no right
 */
public record Caller(String name, Role role, @Nullable String onBehalfOf) {
  private static final int MAX_LENGTH = 512;

  public Caller {
    requireNonNull(name);
    requireNonNull(role);
  }

  /** A caller who acts for nobody else. */
  public Caller(String name, Role role) {
    this(name, role, null);
  }

  /** Whether the caller may decide over what others hold: take it by force, remove it, stop it. */
  public boolean mayOverrule() {
    return role.mayOverrule();
  }

  /** The same caller, acting for somebody. */
  public Caller onBehalfOf(String somebody) {
    boolean isPrintable = somebody.codePoints().allMatch(Caller::isPrintable);
    if (somebody.isBlank() || somebody.length() > MAX_LENGTH || !isPrintable) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "X-Actor must be 1 to " + MAX_LENGTH + " printable characters; leave it out to act for nobody else");
    }
    return new Caller(name, role, somebody);
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR, Character.UNASSIGNED ->
        false;
      default -> true;
    };
  }
}

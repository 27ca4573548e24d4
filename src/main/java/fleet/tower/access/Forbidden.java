package fleet.tower.access;

import static java.util.Objects.requireNonNull;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** A caller is known and may not do what he asks for. It ends the call wherever that is found. */
public final class Forbidden extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final String problem;
  private final @Nullable Role needed;

  /** Why, for programs and for the audit log. */
  public enum Reason {
    ROLE_TOO_LOW, INTENT_NOT_ALLOWED, NOT_YOURS, NO_ROLE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A refusal.
   *
   * @param needed the role that may; null where that is no question of roles
   */
  public Forbidden(Reason reason, String problem, @Nullable Role needed) {
    super(problem, null, false, false);
    this.reason = requireNonNull(reason);
    this.problem = requireNonNull(problem);
    this.needed = needed;
  }

  public Reason reason() {
    return reason;
  }

  /** What may not be done, and by whom. */
  public String problem() {
    return problem;
  }

  public @Nullable Role needed() {
    return needed;
  }
}

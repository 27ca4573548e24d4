package fleet.tower.access;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/** Thrown when an identified caller may not do what it requests. Ends the call. */
public final class Forbidden extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Reason reason;
  private final String problem;
  private final @Nullable Role needed;

  /** The reason, for programs and the audit log. */
  public enum Reason {
    ROLE_TOO_LOW, INTENT_NOT_ALLOWED, PARAMS_NOT_ALLOWED, LOCK_NOT_ALLOWED, MAILBOX_NOT_ALLOWED, TASK_NOT_ALLOWED, APPROVAL_NOT_ALLOWED, NOT_YOURS, NO_ROLE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** @param needed the role that may do it; null if the reason is not a role */
  public Forbidden(Reason reason, String problem, @Nullable Role needed) {
    super(problem, null, false, false);
    this.reason = reason;
    this.problem = problem;
    this.needed = needed;
  }

  public Reason reason() {
    return reason;
  }

  /** What the caller may not do. */
  public String problem() {
    return problem;
  }

  public @Nullable Role needed() {
    return needed;
  }
}

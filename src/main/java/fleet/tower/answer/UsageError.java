package fleet.tower.answer;

import fleet.tower.platform.ErrorCode;

/** An invalid command line; the message states the mistake. */
public final class UsageError extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final ErrorCode code;
  private final String problem;

  public UsageError(String problem) {
    this(ErrorCode.USAGE, problem);
  }

  /** An invalid value, which has the same code at all doors. */
  public UsageError(ErrorCode code, String problem) {
    super(problem);
    this.code = code;
    this.problem = problem;
  }

  public ErrorCode code() {
    return code;
  }

  public String problem() {
    return problem;
  }
}

package fleet.tower.answer;

/** An invalid command line; the message states the mistake. */
public final class UsageError extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final String problem;

  public UsageError(String problem) {
    super(problem);
    this.problem = problem;
  }

  public String problem() {
    return problem;
  }
}

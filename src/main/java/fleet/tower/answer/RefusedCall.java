package fleet.tower.answer;

/** The refusal of a call, thrown where no answer can be returned; it is answered with its problem. */
public final class RefusedCall extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Problem problem;

  public RefusedCall(Problem problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}

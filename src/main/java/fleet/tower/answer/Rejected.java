package fleet.tower.answer;

/** A rejected call, thrown where no answer can be returned; it is answered with its problem. */
public final class Rejected extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Problem problem;

  public Rejected(Problem problem) {
    super(problem.detail(), null, false, false);
    this.problem = problem;
  }

  public Problem problem() {
    return problem;
  }
}

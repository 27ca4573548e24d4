package fleet.tower.platform;

/**
 * Thrown if the configuration of a home is invalid, so that no program may use the home. The message names the place,
 * such as {@code FILE:LINE:COLUMN}, and the problem.
 */
public final class InvalidConfiguration extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final String problem;

  public InvalidConfiguration(String problem) {
    super(problem);
    this.problem = problem;
  }

  /** The message; never null, unlike {@link #getMessage}. */
  public String problem() {
    return problem;
  }
}

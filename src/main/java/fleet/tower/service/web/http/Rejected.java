package fleet.tower.service.web.http;

import static java.util.Objects.requireNonNull;

/** A call that cannot even be tried, found where no answer can be given; it ends as the problem it carries. */
public final class Rejected extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Problem problem;

  public Rejected(Problem problem) {
    super(problem.body(), null, false, false);
    this.problem = requireNonNull(problem);
  }

  public Problem problem() {
    return problem;
  }
}

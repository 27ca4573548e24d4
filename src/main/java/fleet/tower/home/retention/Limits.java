package fleet.tower.home.retention;

import java.time.Duration;

/**
 * How much of the past is kept; zero keeps all of it.
 *
 * @param runs how long the record and the output of a run are kept, from its end
 *
 * @param mostRuns how many runs are kept, those that have not finished included
 *
 * @param audit how long the events of a day are kept, from its end
 */
public record Limits(Duration runs, int mostRuns, Duration audit) {
  public Limits {
    if (runs.isNegative() || mostRuns < 0 || audit.isNegative()) {
      throw new IllegalStateException("a limit is negative: " + runs + ", " + mostRuns + ", " + audit);
    }
  }
}

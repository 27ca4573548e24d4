package fleet.tower.home;

import java.time.Duration;

/**
 * How much of the past is kept; zero keeps all of it.
 *
 * @param runs how long the record and the output of a run are kept, from its end
 *
 * @param mostRuns how many runs are kept, those that have not finished included
 *
 * @param audit how long the events of a day are kept, from its end
 *
 * @param lockNames how long the files of a lock name are kept, from its last use
 */
public record Limits(Duration runs, int mostRuns, Duration audit, Duration lockNames) {
  public Limits {
    if (runs.isNegative() || mostRuns < 0 || audit.isNegative() || lockNames.isNegative()) {
      throw new IllegalStateException("a limit is negative: " + runs + ", " + mostRuns + ", " + audit + ", "
          + lockNames);
    }
  }
}

package fleet.tower.home.retention;

import java.time.Duration;

/**
 * For how long what has ended is kept; zero keeps it for ever.
 *
 * @param runs after the end of a run, its record and what it printed
 * @param audit after the end of a day, its events
 */
public record Ages(Duration runs, Duration audit) {
  public Ages {
    if (runs.isNegative() || audit.isNegative()) {
      throw new IllegalStateException("an age is negative: " + runs + ", " + audit);
    }
  }
}

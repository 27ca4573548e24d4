package fleet.tower.home.retention;

import java.time.Duration;

/**
 * How long records are kept after their end; zero keeps them forever.
 *
 * @param runs for the record and the output of a run, from its end
 * @param audit for the events of a day, from its end
 */
public record Ages(Duration runs, Duration audit) {
  public Ages {
    if (runs.isNegative() || audit.isNegative()) {
      throw new IllegalStateException("an age is negative: " + runs + ", " + audit);
    }
  }
}

package fleet.tower.lock;

import java.time.Duration;

class CalculatesDurations {
  boolean calculate(Duration duration) {
    return duration.multipliedBy(2).compareTo(duration.dividedBy(2)) > 0
        && duration.dividedBy(Duration.ofSeconds(1)) > 0 && duration.negated().equals(duration.abs());
  }
}

package fleet.tower.service.config;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * The value of a setting that is a time span, read as commands read it: a number without a unit is seconds. It is a type of its own
 * because Spring reads a {@link Duration} in its own way, a number as milliseconds, and falls back to that if another one fails.
 */
record TimeSpan(Duration value) {
  TimeSpan {
    requireNonNull(value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}

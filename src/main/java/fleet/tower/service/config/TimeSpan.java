package fleet.tower.service.config;

import java.time.Duration;

/**
 * A time span in a setting, parsed as the commands parse it: a number without a unit is seconds. It has its own type
 * because Spring parses a {@link Duration} by its own rules, where a number is milliseconds.
 */
record TimeSpan(Duration value) {
  @Override
  public String toString() {
    return value.toString();
  }
}

package fleet.tower.intent;

import java.time.Duration;

import fleet.tower.lease.Ttl;

/** The time limits of an intent; time spent in a queue does not count. */
public record Timeouts(Ttl lockTtl, Duration step, Duration run) {
  public static final Timeouts DEFAULT = new Timeouts(Ttl.DEFAULT, Duration.ofMinutes(10), Duration.ofHours(1));
}

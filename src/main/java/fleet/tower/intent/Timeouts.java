package fleet.tower.intent;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lease.Ttl;

/** How long things may take; time spent in a queue counts for none of them. */
public record Timeouts(Ttl lockTtl, Duration step, Duration run) {
  public static final Timeouts DEFAULT = new Timeouts(Ttl.DEFAULT, Duration.ofMinutes(10), Duration.ofHours(1));

  public Timeouts {
    requireNonNull(lockTtl);
    requireNonNull(step);
    requireNonNull(run);
  }
}

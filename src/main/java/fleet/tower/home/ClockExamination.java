package fleet.tower.home;

import java.time.Instant;
import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.Timestamps;

/** Checks that the clocks are plausible. */
public final class ClockExamination implements Examination {
  private static final Instant RELEASED = Instant.parse("2026-01-01T00:00:00Z");

  private final TimeSource time;

  public ClockExamination(TimeSource time) {
    this.time = time;
  }

  @Override
  public List<Finding> examine() {
    Instant now = time.now();
    Finding wall = now.isBefore(RELEASED)
        ? Finding.fail("wall clock", Timestamps.format(now) + " is earlier than the release of this program",
            "set the clock; a lock acquired now would become stale when it is set")
        : Finding.ok("wall clock", Timestamps.format(now));
    Finding boot = time.boot() == null
        ? Finding.warn("boot clock",
            "this system has none, so a step of the wall clock can make a live lock look stale",
            "keep the clock slewed, not stepped, while locks are held")
        : Finding.ok("boot clock", "confirms that a lock is stale");
    return List.of(wall, boot);
  }
}

package fleet.tower.platform.sql;

import java.time.Duration;

import fleet.tower.platform.time.Scheduler;

/** The pause before another attempt to connect. It doubles from 100 ms to 5 s. One thread uses it. */
public final class GrowingPause {
  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final Scheduler scheduler;
  private Duration next = FIRST;

  public GrowingPause(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** Pauses, next time for longer. */
  public void pause() {
    scheduler.pause(next);
    Duration twice = next.plus(next);
    next = twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
  }

  /** Makes the next pause the shortest one again. */
  void reset() {
    next = FIRST;
  }
}

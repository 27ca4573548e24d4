package fleet.tower.time.system;

import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/** Makes the machine's own clocks and timers. */
public final class SystemTime {
  private SystemTime() {}

  /** This machine's clocks. */
  public static TimeSource source() {
    return new SystemTimeSource(new BootClock());
  }

  /** Timers on one daemon thread, work on virtual threads. */
  public static Scheduler scheduler() {
    return new SystemScheduler();
  }
}

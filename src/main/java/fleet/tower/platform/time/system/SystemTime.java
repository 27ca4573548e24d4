package fleet.tower.platform.time.system;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/** Makes the machine's own clocks and timers. */
public final class SystemTime {
  private SystemTime() {}

  /** There is one of them, because it keeps a descriptor; made when somebody asks for the time. */
  private static final class Clocks {
    static final TimeSource SOURCE = new SystemTimeSource(new BootClock());
  }

  /** This machine's clocks. */
  public static TimeSource source() {
    return Clocks.SOURCE;
  }

  /** Timers on one daemon thread, work on virtual threads. */
  public static Scheduler scheduler() {
    return new SystemScheduler();
  }
}

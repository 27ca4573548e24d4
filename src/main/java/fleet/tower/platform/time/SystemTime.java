package fleet.tower.platform.time;

/** The factory of the machine's clocks and timers. */
public final class SystemTime {
  private SystemTime() {}

  /** A lazily created singleton, because it holds a file descriptor. */
  private static final class Clocks {
    static final TimeSource SOURCE = new SystemTimeSource(new BootClock());
  }

  /** The clocks of this machine. */
  public static TimeSource source() {
    return Clocks.SOURCE;
  }

  /** A scheduler with its own worker threads. */
  public static Scheduler scheduler() {
    return new SystemScheduler();
  }
}

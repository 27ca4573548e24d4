package fleet.tower.platform.time;

/** A clock with a finer resolution than the boot clock's hundredths of a second; on Linux all processes share it. */
public final class FineClock {
  private FineClock() {}

  public static long nanos() {
    return System.nanoTime();
  }
}

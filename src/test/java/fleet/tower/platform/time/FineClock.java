package fleet.tower.platform.time;

/** A clock finer than the one since boot, which counts hundredths of seconds; on Linux all processes read the same one. */
public final class FineClock {
  private FineClock() {}

  public static long nanos() {
    return System.nanoTime();
  }
}

package fleet.tower.lock.file;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.BootStamp;

/** The clocks of the one simulated host: a wall clock that steps, and a clock since boot that does not. */
final class SimulatedTime {
  static final long SECOND = 1_000_000_000L;

  private final boolean bootClock;
  private long wallNanos;
  private long nanos = 1000 * SECOND;
  private int boot = 1;
  private int forwardSteps;

  /**
   * @param bootClock whether this system has a boot clock
   *
   * @param fractionNanos the wall clock's initial fraction of a second
   */
  SimulatedTime(boolean bootClock, long fractionNanos) {
    this.bootClock = bootClock;
    this.wallNanos = Instant.parse("2026-01-01T00:00:00Z").getEpochSecond() * SECOND + fractionNanos;
  }

  void pass(long passedNanos) {
    nanos += passedNanos;
    wallNanos += passedNanos;
  }

  void stepWall(long byNanos) {
    wallNanos += byNanos;
    forwardSteps += byNanos > 0 ? 1 : 0;
  }

  /** Restarts the boot clock; without a battery the wall clock may start in the past. */
  void reboot(long wallShiftNanos) {
    boot++;
    nanos = 20 * SECOND;
    wallNanos += wallShiftNanos;
  }

  boolean hasBootClock() {
    return bootClock;
  }

  int forwardSteps() {
    return forwardSteps;
  }

  int bootNumber() {
    return boot;
  }

  long nanos() {
    return nanos;
  }

  long wallSecond() {
    return Math.floorDiv(wallNanos, SECOND);
  }

  Instant wall() {
    return Instant.ofEpochSecond(Math.floorDiv(wallNanos, SECOND), Math.floorMod(wallNanos, SECOND));
  }

  @Nullable
  BootStamp bootStamp() {
    return bootClock ? new BootStamp("boot-" + boot, nanos / 1_000_000) : null;
  }

  @Override
  public String toString() {
    return wall() + " boot-" + boot + "+" + nanos / 1_000_000 + "ms";
  }
}

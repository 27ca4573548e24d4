package fleet.tower.platform.time;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A moment on the boot clock of a machine. Moments of different boots cannot be compared. */
public record BootStamp(String bootId, long millis) {
  /** The moment in nanoseconds, comparable with {@link TimeSource#nanos()} if that uses the boot clock. */
  public long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /**
   * Milliseconds since {@code earlier}; empty if the two moments are not of one clock: another boot, or a clock that
   * seems to have run backwards (two containers of one host may see one boot with two clocks).
   */
  public OptionalLong millisSince(BootStamp earlier) {
    return bootId.equals(earlier.bootId) && millis >= earlier.millis
        ? OptionalLong.of(millis - earlier.millis)
        : OptionalLong.empty();
  }
}

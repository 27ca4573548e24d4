package fleet.tower.platform.time;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** A moment on the clock of one boot of one machine; comparing it with a moment of another boot is invalid, not wrong. */
public record BootStamp(String bootId, long millis) {
  public BootStamp {
    requireNonNull(bootId);
  }

  /** The same moment on {@link TimeSource#nanos()}, which is this clock where there is one. */
  public long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /**
   * Milliseconds from {@code earlier} to this, or nothing when the two do not come from one clock: another boot, or a
   * clock that seems to have run backwards (two containers of one host may see one boot with two clocks).
   */
  public OptionalLong millisSince(BootStamp earlier) {
    return bootId.equals(earlier.bootId) && millis >= earlier.millis
        ? OptionalLong.of(millis - earlier.millis)
        : OptionalLong.empty();
  }
}

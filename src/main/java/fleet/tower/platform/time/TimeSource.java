package fleet.tower.platform.time;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** The clocks of this process: a wall clock, which may be stepped, and a clock since boot, which may not. */
public interface TimeSource {

  /** The wall clock. An operator or NTP may step it in either direction at any moment. */
  Instant now();

  /**
   * Nanoseconds on a monotonic clock that includes the time the machine was suspended: the boot clock, if there is
   * one. Only differences are meaningful.
   */
  long nanos();

  /** The clock since boot with the identity of the boot; null if the system does not provide them. */
  @Nullable
  BootStamp boot();
}

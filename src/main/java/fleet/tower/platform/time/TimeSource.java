package fleet.tower.platform.time;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** The time as this process can know it: a wall clock that may be stepped, and a clock since boot that may not. */
public interface TimeSource {

  /** The wall clock. An operator or NTP may move it in either direction at any moment. */
  Instant now();

  /**
   * Nanoseconds on a clock that never goes back and that counts the time the machine was suspended: the boot clock, where
   * there is one. Only differences mean anything.
   */
  long nanos();

  /** The clock since boot together with the boot's identity, or null where the system does not tell. */
  @Nullable
  BootStamp boot();
}

package fleet.tower.platform.time;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The JVM's wall clock, and Linux's clock since boot. {@code System.nanoTime} stops while a laptop sleeps, so a
 * deadline on it would let a holder trust a lock that has expired for all others; it is used only if there is no boot
 * clock.
 */
final class SystemTimeSource implements TimeSource {
  private final BootClock bootClock;

  SystemTimeSource(BootClock bootClock) {
    this.bootClock = bootClock;
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public long nanos() {
    BootStamp stamp = bootClock.read();
    return stamp == null ? System.nanoTime() : stamp.nanos();
  }

  @Override
  public @Nullable BootStamp boot() {
    return bootClock.read();
  }
}

package fleet.tower.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

import fleet.tower.platform.time.Timestamps;

/**
 * The time since a lease's last heartbeat, by the wall clock of its store and, if known, by a clock that steps of the
 * wall clock do not affect.
 *
 * @param sinceHeartbeat whole seconds of now minus the heartbeat, never more than the real age; negative if the
 *     heartbeat is in the future
 * @param bootMillis the age by the boot clock; empty if the two moments are of different boots
 */
public record Age(Duration sinceHeartbeat, OptionalLong bootMillis) {
  private static final Duration LEAST_PLAUSIBLE = Duration.ofMinutes(-1);

  /**
   * The age by the wall clock alone, in whole seconds, so that a lease never becomes stale early and at most a second
   * late.
   */
  public static Age between(Instant heartbeat, Instant now) {
    return new Age(Duration.between(heartbeat, Timestamps.wholeSecond(now)), OptionalLong.empty());
  }

  /** This age with the age by the boot clock. */
  public Age confirmedBy(OptionalLong millis) {
    return new Age(sinceHeartbeat, millis);
  }

  /** The age in whole seconds, rounded down. */
  public long seconds() {
    return sinceHeartbeat.toSeconds();
  }

  /**
   * Whether the age is strictly more than {@code ttl} by every available clock, so that a step of the wall clock
   * alone ends no lease.
   */
  public boolean exceeds(Ttl ttl) {
    return exceedsByWallClock(ttl) && (bootMillis.isEmpty() || bootMillis.getAsLong() > ttl.duration().toMillis());
  }

  /** Whether the age is more than {@code ttl} by the wall clock, regardless of the boot clock. */
  public boolean exceedsByWallClock(Ttl ttl) {
    return sinceHeartbeat.compareTo(ttl.duration()) > 0;
  }

  /** Whether the heartbeat is so far in the future that one of two clocks must be wrong. */
  public boolean isSkewed() {
    return sinceHeartbeat.compareTo(LEAST_PLAUSIBLE) < 0;
  }
}

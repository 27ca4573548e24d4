package fleet.tower.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;

import fleet.tower.platform.time.Timestamps;

/**
 * The time since a lease's last heartbeat, by the wall clock of its store and, where there is evidence, by a clock that no
 * step of the wall clock moves.
 *
 * @param sinceHeartbeat whole now minus heartbeat, never more than what really passed; negative when the heartbeat is ahead
 * @param bootMillis the same by the boot clock, or nothing where the two moments do not come from one boot
 */
public record Age(Duration sinceHeartbeat, OptionalLong bootMillis) {
  private static final Duration TOLERATED_SKEW = Duration.ofSeconds(60);

  /** The age by the wall clock alone: on whole seconds, so that a lease is never stale early and at most a second late. */
  public static Age between(Instant heartbeat, Instant now) {
    return new Age(Duration.between(heartbeat, Timestamps.wholeSecond(now)), OptionalLong.empty());
  }

  /** The age with the boot clock's word on it. */
  public Age confirmedBy(OptionalLong millis) {
    return new Age(sinceHeartbeat, millis);
  }

  /** Whole seconds since the heartbeat, rounded down. */
  public long seconds() {
    return sinceHeartbeat.toSeconds();
  }

  /** More than {@code ttl}, strictly, by every clock that can tell: a step of the wall clock alone ends no lease. */
  public boolean exceeds(Ttl ttl) {
    return exceedsByWallClock(ttl) && (bootMillis.isEmpty() || bootMillis.getAsLong() > ttl.duration().toMillis());
  }

  /** More than {@code ttl} by the wall clock, whatever the other clock says. */
  public boolean exceedsByWallClock(Ttl ttl) {
    return sinceHeartbeat.compareTo(ttl.duration()) > 0;
  }

  /** The heartbeat lies so far ahead that one of two clocks must be wrong. */
  public boolean isSkewed() {
    return sinceHeartbeat.negated().compareTo(TOLERATED_SKEW) > 0;
  }
}

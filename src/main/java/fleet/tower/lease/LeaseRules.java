package fleet.tower.lease;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Timestamps;

/** The decision table of the specification, and the rules about the times of heartbeats. */
public final class LeaseRules {
  private static final long RETRIES_IN_A_TTL = 20;
  private static final Duration SHORTEST_RETRY = Duration.ofMillis(250);

  private LeaseRules() {}

  /**
   * Who gets it. Force matters only where the lease is stale; a lease that cannot be read is nobody's to take.
   */
  public static Decision decide(LeaseState current, LeaseRequest request) {
    return switch (current) {
      case LeaseState.Vacant() -> new Decision.Create();
      case LeaseState.Corrupt(String problem) -> new Decision.Unreadable(problem);
      case LeaseState.Unsupported(String version) -> new Decision.Newer(version);
      case LeaseState.Held held when request.keeps(held.lease()) -> new Decision.Keep(held.lease());
      case LeaseState.Held held when !held.isStale() -> new Decision.Blocked(held.lease(), held.age());
      case LeaseState.Held held when request.force() -> new Decision.Steal(held.lease());
      case LeaseState.Held held -> new Decision.Stale(held.lease(), held.age());
    };
  }

  /**
   * The same where the name may be frozen: a freeze comes before everything else, but who may keep what it has keeps it.
   *
   * @param freeze what a freeze refuses everybody new with, or null where there is none
   */
  public static Decision decide(LeaseState current, Decision.@Nullable Refusal freeze, LeaseRequest request) {
    Decision decision = decide(current, request);
    return freeze == null || decision instanceof Decision.Keep ? decision : freeze;
  }

  /**
   * The time to write into a heartbeat. A renewal never shortens a lease, so a clock that was set back leaves the old time
   * standing; but a time from a clock that was far ahead is corrected, or the lease would outlive its holder by that much.
   */
  public static Instant heartbeatTime(Lease lease, Instant now) {
    Instant next = Timestamps.wholeSecond(now);
    Age age = Age.between(lease.lastHeartbeatAt(), now);
    return age.sinceHeartbeat().isNegative() && !age.isSkewed() ? lease.lastHeartbeatAt() : next;
  }

  /** How often a lease is renewed: thrice in its life, and no more rarely than {@code max}. */
  public static Duration heartbeatInterval(Ttl ttl, Duration max) {
    // Not Duration.dividedBy, which calculates with BigDecimal: loading that takes a fresh process 10 ms.
    Duration third = Duration.ofNanos(ttl.duration().toNanos() / 3);
    return third.compareTo(max) < 0 ? third : max;
  }

  /**
   * How soon a heartbeat that failed is tried again: after a twentieth of the ttl, but no more than four times a second and no later
   * than the next heartbeat would come anyway. A twentieth bounds the tries that a dead store sees in one ttl, so the pause
   * does not grow.
   */
  public static Duration retryInterval(Ttl ttl, Duration max) {
    Duration share = Duration.ofNanos(ttl.duration().toNanos() / RETRIES_IN_A_TTL);
    Duration pause = share.compareTo(SHORTEST_RETRY) < 0 ? SHORTEST_RETRY : share;
    Duration interval = heartbeatInterval(ttl, max);
    return pause.compareTo(interval) < 0 ? pause : interval;
  }
}

package fleet.tower.lease;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Timestamps;

/** The rules of a lease: the decision table of the specification, and the time that a heartbeat writes. */
public final class LeaseRules {
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
}

package fleet.tower.lease;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.time.Timestamps;

/** The rules of a lease: the decision table of the specification, and the time that a heartbeat writes. */
public final class LeaseRules {
  private LeaseRules() {}

  /** Decides on a request. Force matters only for a stale lease; a lease that cannot be read is never taken. */
  public static Decision decide(LeaseState current, Request request) {
    return switch (current) {
      case LeaseState.Vacant() -> new Decision.Create();
      case LeaseState.Unusable unusable -> unusable.refusal();
      case LeaseState.Held held when held.lease().isOfRunNamedBy(request.by()) ->
        Decision.OfRun.of(held.lease());
      case LeaseState.Held held when request.keeps(held.lease()) -> new Decision.Keep(held.lease());
      case LeaseState.Held held when !held.isStale() -> new Decision.Blocked(held.lease(), held.age());
      case LeaseState.Held held when request.force() -> new Decision.Steal(held.lease());
      case LeaseState.Held held -> new Decision.Stale(held.lease(), held.age());
    };
  }

  /**
   * Decides on a request that may be halted, or for a name that may be frozen: that takes precedence, except that an
   * owner may keep its lease, and that a client may not use the id of a run, frozen or not.
   *
   * @param freeze the refusal by the halt or the freeze; null if there is none
   */
  public static Decision decide(LeaseState current, Decision.@Nullable Refusal freeze, Request request) {
    Decision decision = decide(current, request);
    return freeze == null || decision instanceof Decision.Keep || decision instanceof Decision.OfRun
        ? decision
        : freeze;
  }

  /**
   * The time to write into a heartbeat. A renewal never shortens a lease, so the old time stays if the clock was set
   * back; but a time far in the future is corrected, or the lease would outlive its holder by that much.
   */
  public static Instant heartbeatTime(Lease lease, Instant now) {
    Instant next = Timestamps.wholeSecond(now);
    Age age = Age.between(lease.lastHeartbeatAt(), now);
    return age.sinceHeartbeat().isNegative() && !age.isSkewed() ? lease.lastHeartbeatAt() : next;
  }

  /**
   * A request for a lease, as far as the rules need it.
   *
   * @param mayKeep whether the request may keep a lease that the same owner already holds; otherwise that lease blocks
   *     it like any other
   * @param force whether to steal a stale lease
   */
  public record Request(Owner by, boolean mayKeep, boolean force) {
    /** Whether the request keeps a lease that its owner holds. */
    boolean keeps(Lease lease) {
      return mayKeep && lease.isHeldBy(by, FencingToken.NONE);
    }
  }
}

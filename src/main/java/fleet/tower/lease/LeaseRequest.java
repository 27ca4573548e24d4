package fleet.tower.lease;

import static java.util.Objects.requireNonNull;

/**
 * What the rules need to know about somebody who asks for a lease.
 *
 * @param mayKeep whether a lease that the same owner holds already is kept; otherwise it is in the way like any other
 * @param force whether to take the lease from a holder that is dead
 */
public record LeaseRequest(Owner by, boolean mayKeep, boolean force) {
  public LeaseRequest {
    requireNonNull(by);
  }

  /** Whether it asks for what it has. */
  boolean keeps(Lease lease) {
    return mayKeep && lease.isHeldBy(by, FencingToken.NONE);
  }
}

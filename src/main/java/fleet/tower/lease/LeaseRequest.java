package fleet.tower.lease;

/**
 * A request for a lease, as far as the rules need it.
 *
 * @param mayKeep whether the request may keep a lease that the same owner already holds; otherwise that lease blocks
 *     it like any other
 * @param force whether to steal a stale lease
 */
public record LeaseRequest(Owner by, boolean mayKeep, boolean force) {
  /** Whether the request keeps a lease that its owner holds. */
  boolean keeps(Lease lease) {
    return mayKeep && lease.isHeldBy(by, FencingToken.NONE);
  }
}

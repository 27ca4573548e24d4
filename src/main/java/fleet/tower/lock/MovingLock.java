package fleet.tower.lock;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;

/**
 * Everything that a store knows about one name.
 *
 * @param counter a token that is not below any token ever issued for the name
 */
public record MovingLock(LeaseName name, FencingToken counter, LeaseState state, FreezeState freeze) {}

package fleet.tower.lock.move;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.LeaseState;
import fleet.tower.lock.freeze.FreezeState;

/**
 * Everything that a store knows about one name.
 *
 * @param counter a token that is not below any token ever issued for the name
 */
public record MovingLock(LeaseName name, FencingToken counter, LeaseState state, FreezeState freeze) {}

package fleet.tower.lock;

import java.util.List;

import fleet.tower.lease.FencingToken;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.Owner;
import fleet.tower.lock.freeze.FreezeStore;
import fleet.tower.platform.StorageException;

/**
 * Where locks are kept. Each call is atomic against every other one on the same place, from this process and any other, and
 * uses the store's own clock. Whose a lock is, it compares in that same atomic step. Every call may throw {@link StorageException}; then nothing is known to have changed.
 */
public interface LockStore extends FreezeStore, AutoCloseable {

  /** Decides by the lease rules, under the name's freeze if there is one, and, if they grant it, writes the lease durably before it returns. */
  AcquireOutcome acquire(AcquireRequest request);

  /** Proves that the owner lives. {@link FencingToken#NONE} asks for no particular tenure. */
  RenewOutcome renew(LeaseName name, Owner by, FencingToken token);

  /**
   * Renews a lease for a keeper, who has time until the next heartbeat: a store may do it together with others. It gives up
   * before that, however long the place of the locks may take.
   */
  default RenewOutcome beat(Lease lease) {
    return renew(lease.name(), lease.owner(), lease.token());
  }

  /** Removes a lease of its owner, durably, and no other. */
  ReleaseOutcome release(LeaseName name, Owner by, FencingToken token);

  /** Removes whatever stands under a name. */
  ForceReleaseOutcome forceRelease(LeaseName name);

  /** Looks at one name and changes nothing. */
  LockView view(LeaseName name);

  /** Looks at all names that are held or frozen, in their order, and changes nothing. */
  List<LockView> list();

  /** Where a human finds the lock of a name. */
  String pathOf(LeaseName name);

  /** Gives back what the store keeps open; locks that are held stay held. */
  @Override
  void close();
}

package fleet.tower.lease;

import fleet.tower.lock.LockStore;

interface LeaseKnowsLock {
  LockStore store();
}

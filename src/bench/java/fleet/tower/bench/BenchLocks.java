package fleet.tower.bench;

import fleet.tower.audit.AuditLog;
import fleet.tower.lock.GrantRules;
import fleet.tower.lock.HolderProbe;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Locks;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.time.TimeSource;

/** Locks without the parts that a measurement does not need. */
final class BenchLocks {
  private BenchLocks() {}

  /** Locks for which nobody waits. */
  static Locks of(LockStore store, AuditLog audit, TimeSource time) {
    return of(store, audit, time, WaitQueue.NONE);
  }

  static Locks of(LockStore store, AuditLog audit, TimeSource time, WaitQueue queue) {
    return new Locks(store, audit, time, queue, Locks.Listener.NONE, Locks.KnownRuns.NONE, false, HolderProbe.NONE,
        GrantRules.NONE);
  }
}

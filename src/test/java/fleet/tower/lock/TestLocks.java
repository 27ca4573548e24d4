package fleet.tower.lock;

import fleet.tower.audit.AuditLog;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.time.TimeSource;

/** Locks without the parts that a test does not need. */
public final class TestLocks {
  private TestLocks() {}

  /** Locks for which nobody waits. */
  public static Locks of(LockStore store, AuditLog audit, TimeSource time) {
    return of(store, audit, time, WaitQueue.NONE);
  }

  /** Locks without a listener and without knowledge of holders. */
  public static Locks of(LockStore store, AuditLog audit, TimeSource time, WaitQueue queue) {
    return of(store, audit, time, queue, GrantRules.NONE);
  }

  /** The same with rules on what may begin when. */
  public static Locks of(LockStore store, AuditLog audit, TimeSource time, WaitQueue queue, GrantRules rules) {
    return new Locks(store, audit, time, queue, Locks.Listener.NONE, Locks.KnownRuns.NONE, false, HolderProbe.NONE,
        rules);
  }
}

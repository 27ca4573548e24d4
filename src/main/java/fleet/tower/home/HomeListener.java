package fleet.tower.home;

import fleet.tower.audit.AuditListener;
import fleet.tower.lock.Locks;
import fleet.tower.run.RunListener;
import fleet.tower.run.Tracing;

/**
 * Listeners to the events of a home. They are called on the thread of the event, so they must be quick and not throw.
 *
 * @param events every event of the audit log
 *
 * @param locks every outcome of a lock request
 *
 * @param runs the runs that start, end or are resubmitted
 *
 * @param tracing the spans of runs and steps
 */
public record HomeListener(AuditListener events, Locks.Witness locks, RunListener runs, Tracing tracing) {
  /** No listeners. */
  public static final HomeListener NONE = new HomeListener(AuditListener.NONE, Locks.Witness.NONE,
      RunListener.NONE,
      Tracing.NONE);

  /** These listeners, then others; at most one of them traces. */
  public HomeListener and(HomeListener next) {
    return new HomeListener(events.and(next.events), locks.and(next.locks), runs.and(next.runs),
        next.tracing.equals(Tracing.NONE) ? tracing : next.tracing);
  }
}

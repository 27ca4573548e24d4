package fleet.tower.home;

import static java.util.Objects.requireNonNull;

import fleet.tower.audit.AuditListener;
import fleet.tower.lock.Locks;
import fleet.tower.run.RunListener;
import fleet.tower.run.Tracing;

/**
 * Those who are told what happens in a home, on the thread where it happens; so they are quick, and throw nothing.
 *
 * @param events of every event of the audit log
 * @param locks of every answer to who asked for a lock
 * @param runs of the runs that begin, end or come again
 * @param tracing which spans the runs and their steps are
 */
public record HomeListener(AuditListener events, Locks.Witness locks, RunListener runs, Tracing tracing) {
  /** Nobody. */
  public static final HomeListener NONE = new HomeListener(AuditListener.NONE, Locks.Witness.NONE,
      RunListener.NONE,
      Tracing.NONE);

  public HomeListener {
    requireNonNull(events);
    requireNonNull(locks);
    requireNonNull(runs);
    requireNonNull(tracing);
  }

  /** These, and then others; one of them at most makes spans. */
  public HomeListener and(HomeListener next) {
    return new HomeListener(events.and(next.events), locks.and(next.locks), runs.and(next.runs),
        next.tracing.equals(Tracing.NONE) ? tracing : next.tracing);
  }
}

package fleet.tower.home;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;

import fleet.tower.audit.AuditEvent;
import fleet.tower.lock.Locks;
import fleet.tower.run.WitnessedRuns;

/**
 * Those who are told what happens in a home, on the thread where it happens; so they are quick, and throw nothing.
 *
 * @param events of every event of the audit log
 * @param locks of every answer to who asked for a lock
 * @param runs of the runs that end or come again
 */
public record Witness(Consumer<AuditEvent> events, Locks.Witness locks, WitnessedRuns.Witness runs) {
  /** Nobody. */
  public static final Witness NONE = new Witness(_ -> {}, Locks.Witness.NONE, WitnessedRuns.Witness.NONE);

  public Witness {
    requireNonNull(events);
    requireNonNull(locks);
    requireNonNull(runs);
  }
}

package fleet.tower.run.execute;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditLog;
import fleet.tower.lease.keepalive.LeaseRenewers;
import fleet.tower.lock.Locks;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.Processes;
import fleet.tower.run.Run;
import fleet.tower.run.RunStore;

/**
 * What an executor works with.
 *
 * @param log told at once what the operator of this process should know of its runs; whoever watches a run has its warnings
 */
public record RunServices(Locks locks, LeaseRenewers heartbeats, RunStore store, Processes processes, AuditLog audit,
    TimeSource time, Scheduler scheduler, Consumer<String> log) {
  public RunServices {
    requireNonNull(log);
    requireNonNull(locks);
    requireNonNull(heartbeats);
    requireNonNull(store);
    requireNonNull(processes);
    requireNonNull(audit);
    requireNonNull(time);
    requireNonNull(scheduler);
  }

  /**
   * Records how far a run has come. A run goes on when that fails, for it would not be better to stop in the middle; the
   * answer is what went wrong, or null.
   */
  @Nullable
  String keep(Run run, boolean durable) {
    try {
      store.save(run, durable);
      return null;
    } catch (StorageException e) {
      return String.valueOf(e.getMessage());
    }
  }
}

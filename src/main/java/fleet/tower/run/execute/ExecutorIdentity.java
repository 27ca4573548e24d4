package fleet.tower.run.execute;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.Origin;
import fleet.tower.lock.HolderProcess;
import fleet.tower.run.OutsideBeats;
import fleet.tower.run.Run;

/**
 * A process that executes runs, as other processes know it.
 *
 * @param id unique among all executors of all time
 * @param isAlive whether the executor with an id is alive
 * @param home the home directory
 * @param outside receives heartbeats for its runs from outside
 * @param process its identity in the locks of its runs; null if the system does not report it
 */
public record ExecutorIdentity(String id, String hostId, long pid, String home, Predicate<String> isAlive,
    OutsideBeats outside, @Nullable HolderProcess process) {
  /** The caller of a run, with the host and process that execute it. */
  public Origin origin(Run.Header header) {
    return new Origin(header.actor(), header.intent(), hostId, pid, null);
  }
}

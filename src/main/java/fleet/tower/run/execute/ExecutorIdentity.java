package fleet.tower.run.execute;

import static java.util.Objects.requireNonNull;

import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;

import fleet.tower.audit.Origin;
import fleet.tower.run.OutsideBeats;
import fleet.tower.run.Run;

/**
 * The process that executes runs, as it shows itself to others.
 *
 * @param id unique among all executors that ever were
 * @param isAlive whether the executor of an id still lives
 * @param pidOf the process that the executor of an id is, where that is known
 * @param home the directory that everything is below
 * @param outside where beats of its runs come from outside
 */
public record ExecutorIdentity(String id, String hostId, long pid, String home, Predicate<String> isAlive,
    Function<String, OptionalLong> pidOf, OutsideBeats outside) {
  public ExecutorIdentity {
    requireNonNull(id);
    requireNonNull(hostId);
    requireNonNull(home);
    requireNonNull(isAlive);
    requireNonNull(pidOf);
    requireNonNull(outside);
  }

  /** Who asked for a run, and where it is executed. */
  public Origin origin(Run.Header header) {
    return new Origin(header.origin().actor(), header.subject().intent(), hostId, pid);
  }
}

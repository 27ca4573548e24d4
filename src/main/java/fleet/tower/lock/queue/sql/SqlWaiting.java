package fleet.tower.lock.queue.sql;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;

/**
 * Opens the lines of those who wait for locks in PostgreSQL, over any number of hosts.
 *
 * @param database stays open for others
 * @param warnings told when changes cannot be heard of, so that waiting takes longer
 */
public record SqlWaiting(Database database, Scheduler scheduler, Consumer<String> warnings) {
  public SqlWaiting {
    requireNonNull(database);
    requireNonNull(scheduler);
    requireNonNull(warnings);
  }

  /** The lines. Nothing is touched before somebody joins one. */
  public WaitQueue open() {
    return new SqlWaitQueue(database, scheduler, new KernelRandom(), warnings);
  }
}

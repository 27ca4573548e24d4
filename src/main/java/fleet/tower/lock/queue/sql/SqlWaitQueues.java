package fleet.tower.lock.queue.sql;

import java.util.function.Consumer;
import java.util.function.Supplier;

import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;

/**
 * Factory of the wait queues in PostgreSQL, for any number of hosts.
 *
 * @param database stays open when the queues are closed
 *
 * @param executor supplies the id of this process, as other processes of the fleet know it
 *
 * @param warnings receives a warning if notifications fail, so that waiting takes longer
 */
public record SqlWaitQueues(Database database, Scheduler scheduler, Supplier<String> executor,
    Consumer<String> warnings) {

  /** Opens the queues. Touches nothing until the first waiter joins. */
  public WaitQueue open() {
    return new SqlWaitQueue(database, scheduler, new KernelRandom(), executor, warnings);
  }
}

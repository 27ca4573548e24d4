package fleet.tower.lock.sql;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

import fleet.tower.lock.HaltSource;
import fleet.tower.lock.HaltStore;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.Replication;
import fleet.tower.lock.queue.WaitQueue;
import fleet.tower.platform.Examination;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Factory of lock stores in PostgreSQL.
 *
 * @param database closed together with the locks
 *
 * @param time the clock of local lease deadlines; the times of locks are the server's
 *
 * @param scheduler gathers simultaneous heartbeats
 *
 * @param longestInterval the maximum time between two heartbeats of one lock
 */
public record SqlLocks(Database database, TimeSource time, Scheduler scheduler, Duration longestInterval) {

  /** The health check of replication. */
  public Examination examination() {
    return new ReplicationExamination(database);
  }

  /** How the server's standbys replicate now. */
  public Replication replication() {
    return Standbys.replication(database);
  }

  /** The halts of the database. Touches nothing until the first call. */
  public HaltStore halts() {
    return new SqlHalts(database);
  }

  /** Opens the locks of the database. Touches nothing until the first call. */
  public LockStore open() {
    return open(HaltSource.NONE);
  }

  /**
   * The same on a host with halts of its own.
   *
   * @param ofHost its halts besides those of the database
   */
  public LockStore open(HaltSource ofHost) {
    return new SqlLockStore(database, time, scheduler, longestInterval, ofHost);
  }

  /**
   * Opens the wait queues of the database. Touches nothing until the first waiter joins.
   *
   * @param database stays open when the queues are closed
   *
   * @param executor supplies the id of this process, as other processes of the fleet know it
   *
   * @param warnings receives a warning if notifications fail, so that waiting takes longer
   */
  public static WaitQueue queue(Database database, Scheduler scheduler, Supplier<String> executor,
      Consumer<String> warnings) {
    return new SqlWaitQueue(database, scheduler, new KernelRandom(), executor, warnings);
  }
}

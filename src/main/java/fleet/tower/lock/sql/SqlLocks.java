package fleet.tower.lock.sql;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lock.LockStore;
import fleet.tower.lock.Replication;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Opens locks in PostgreSQL.
 *
 * @param database is closed together with the locks
 * @param time the clock that deadlines of tenures are on; what a lock says is by the server's clock
 * @param scheduler collects the heartbeats of a moment
 * @param longestInterval between two heartbeats of one lock, at most
 */
public record SqlLocks(Database database, TimeSource time, Scheduler scheduler, Duration longestInterval) {
  public SqlLocks {
    requireNonNull(database);
    requireNonNull(time);
    requireNonNull(scheduler);
    requireNonNull(longestInterval);
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return new ReplicationExamination(database);
  }

  /** Looks how the standbys of the server follow it. */
  public Replication replication() {
    return Standbys.replication(database);
  }

  /** The locks of the database. Nothing is touched before the first call. */
  public LockStore open() {
    return new SqlLockStore(database, time, scheduler, longestInterval);
  }
}

package fleet.tower.lock.sql;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

import fleet.tower.lock.LockStore;
import fleet.tower.sql.Database;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;

/**
 * Opens locks in PostgreSQL.
 *
 * @param url {@code jdbc:postgresql://HOST/NAME}
 * @param time the clock that deadlines of tenures are on; what a lock says is by the server's clock
 * @param scheduler collects the heartbeats of a moment
 * @param longestInterval between two heartbeats of one lock, at most
 */
public record SqlLocks(String url, TimeSource time, Scheduler scheduler, Duration longestInterval) {
  public SqlLocks {
    requireNonNull(url);
    requireNonNull(time);
    requireNonNull(scheduler);
    requireNonNull(longestInterval);
  }

  /** The locks of the database. Nothing is touched before the first call. */
  public LockStore open() {
    return new SqlLockStore(Database.at(url), time, scheduler, longestInterval);
  }
}

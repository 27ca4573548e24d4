package fleet.tower.home;

import java.time.Duration;
import java.util.function.Consumer;

import fleet.tower.doctor.Examination;
import fleet.tower.lock.LockStore;
import fleet.tower.lock.sql.SqlLocks;
import fleet.tower.sql.Database;
import fleet.tower.time.Scheduler;
import fleet.tower.time.TimeSource;
import fleet.tower.waiting.Line;
import fleet.tower.waiting.sql.SqlWaiting;

/** The locks of a fleet and those who wait for them, on the one database that all of this process use for that. */
final class FleetLocks implements AutoCloseable {
  private final Database database;
  private final SqlLocks locks;
  private final LockStore store;
  private final Line line;

  FleetLocks(String url, TimeSource time, Scheduler scheduler, Duration longestInterval, Consumer<String> warnings) {
    this.database = Database.at(url);
    this.locks = new SqlLocks(database, time, scheduler, longestInterval);
    this.store = locks.open();
    this.line = new SqlWaiting(database, scheduler, warnings).open();
  }

  /** What the doctor looks at here. */
  Examination examination() {
    return locks.examination();
  }

  LockStore store() {
    return store;
  }

  Line line() {
    return line;
  }

  @Override
  public void close() {
    store.close();
  }
}

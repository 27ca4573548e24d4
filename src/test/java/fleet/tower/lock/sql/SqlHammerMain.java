package fleet.tower.lock.sql;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import fleet.tower.lease.RenewalSchedule;
import fleet.tower.lock.Competitor;
import fleet.tower.lock.LockStore;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.SystemTime;

/** One process of those that fight for locks in PostgreSQL. */
final class SqlHammerMain {
  private SqlHammerMain() {}

  /** Arguments: URL, id, history file, a file without which it does not begin. */
  static void main(String[] arguments) throws InterruptedException {
    while (!Files.exists(Path.of(arguments[3]))) {
      SystemTime.scheduler().pause(Duration.ofMillis(5));
    }
    LockStore store = new SqlLocks(Database.at(arguments[0]), SystemTime.source(), SystemTime.scheduler(),
        RenewalSchedule.DEFAULT_MAX_INTERVAL).open();
    Competitor.competeAll(arguments[1], arguments[2], _ -> store);
  }
}

package fleet.tower.mailbox.sql;

import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/**
 * The clock of leases, read at one moment. In a database that only one host uses it is the boot clock, so that a step
 * of the wall clock neither ends nor prolongs a lease; otherwise it is the database's own clock.
 *
 * @param name the boot's id; empty for the database's clock
 */
record DatabaseClock(String name, long millis) {

  static DatabaseClock of(Database database, TimeSource time) {
    BootStamp boot = database.isOfOneHost() ? time.boot() : null;
    return boot == null ? new DatabaseClock("", 0) : new DatabaseClock(boot.bootId(), boot.millis());
  }

  /** The values of a statement that this clock measures. */
  NamedValues values() {
    return new NamedValues().put("clock", name).put("clock_millis", millis);
  }
}

package fleet.tower.mailbox.sql;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/**
 * The clock of leases, read at one moment. In a database that only one host uses it is the boot clock, so that a step
 * of the wall clock neither ends nor prolongs a lease; otherwise it is the database's own clock.
 *
 * @param name the boot's id; empty for the database's clock
 */
record DatabaseClock(String name, long millis) {

  /** A parameter group of a statement; see {@link MessageStatements}. */
  enum Part {
    NAME, HERE, REMAINING
  }

  static DatabaseClock of(Database database, TimeSource time) {
    BootStamp boot = database.isOfOneHost() ? time.boot() : null;
    return boot == null ? new DatabaseClock("", 0) : new DatabaseClock(boot.bootId(), boot.millis());
  }

  /** The values of a statement, with each {@link Part} replaced by its parameters. */
  @Nullable
  Object[] fill(@Nullable Object... values) {
    List<@Nullable Object> filled = new ArrayList<>();
    for (Object value : values) {
      if (value instanceof Part part) {
        switch (part) {
          case NAME -> filled.add(name);
          case HERE -> filled.addAll(List.of(name, millis));
          case REMAINING -> filled.addAll(List.of(name, name, millis));
        }
      } else {
        filled.add(value);
      }
    }
    return filled.toArray();
  }
}

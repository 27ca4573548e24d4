package fleet.tower.mailbox.sql;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/**
 * What leases are measured by at one moment: in a database of one host the clock since boot, so that no step of the wall clock
 * ends a lease or prolongs it; elsewhere the database's own.
 *
 * @param name of the boot; empty for the database's clock
 */
record DatabaseClock(String name, long millis) {

  /** What a statement takes of the clock; see {@link Statements}. */
  enum Part {
    NAME, HERE, REMAINING
  }

  static DatabaseClock of(Database database, TimeSource time) {
    BootStamp boot = database.isOfOneHost() ? time.boot() : null;
    return boot == null ? new DatabaseClock("", 0) : new DatabaseClock(boot.bootId(), boot.millis());
  }

  /** The values of a statement, each {@link Part} replaced by what it stands for. */
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

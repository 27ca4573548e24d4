package fleet.tower.task.sql;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Ttl;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/**
 * A reading of the clock since boot. In a database of one host only this clock decides about claims of the same boot,
 * so a step of the wall clock neither ends nor extends a claim. Elsewhere the database's wall clock decides.
 *
 * @param id the id of the boot; null if there is no such clock
 * @param isOfOneHost whether only this host uses the database, so that writers run one after the other
 */
record Boot(@Nullable String id, long millis, boolean isOfOneHost) {

  static Boot of(Database database, TimeSource time) {
    BootStamp stamp = database.isOfOneHost() ? time.boot() : null;
    return stamp == null
        ? new Boot(null, 0, database.isOfOneHost())
        : new Boot(stamp.bootId(), stamp.millis(), database.isOfOneHost());
  }

  /** The values of {@link TaskStatements#ACTIVE}. */
  NamedValues values() {
    return new NamedValues().put("boot", id).put("boot_millis", millis);
  }

  /** When a claim granted now expires, by this clock. */
  long until(Ttl ttl) {
    return millis + ttl.seconds() * 1000;
  }
}

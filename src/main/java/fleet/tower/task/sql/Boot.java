package fleet.tower.task.sql;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Ttl;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/**
 * The clock since boot at one moment. In a database of one host it alone decides about claims of the same boot, so that no
 * step of the wall clock ends a claim or prolongs it; elsewhere there is none, and the database's wall clock decides.
 *
 * @param id of the boot; null where there is no such clock
 * @param isOfOneHost whether those who write to the database do so one after the other
 */
record Boot(@Nullable String id, long millis, boolean isOfOneHost) {

  static Boot of(Database database, TimeSource time) {
    BootStamp stamp = database.isOfOneHost() ? time.boot() : null;
    return stamp == null
        ? new Boot(null, 0, database.isOfOneHost())
        : new Boot(stamp.bootId(), stamp.millis(), database.isOfOneHost());
  }

  /** When a claim of now expires, by this clock. */
  long until(Ttl ttl) {
    return millis + ttl.seconds() * 1000;
  }
}

package fleet.tower.home.move;

import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.BootStamp;
import fleet.tower.platform.time.TimeSource;

/**
 * The clocks of the home and of the database it moves to, read at one moment: the home's first, so that the network
 * delay prolongs leases and never shortens them.
 *
 * @param boot the home's clock since boot; null if there is none
 */
record Clocks(long homeMillis, @Nullable BootStamp boot, long serverMillis) {
  private static final String NOW = "SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)";

  static Clocks read(TimeSource time, Session target) throws SQLException {
    long home = time.now().toEpochMilli();
    BootStamp boot = time.boot();
    return new Clocks(home, boot, target.query(NOW, row -> row.getLong(1)).getFirst());
  }

  /** A moment of the home's wall clock by the server's clock. */
  long fromWall(long millis) {
    return serverMillis + (millis - homeMillis);
  }

  /** A moment of a boot clock by the server's clock; {@code otherwise} if it is not this boot's. */
  long fromBoot(@Nullable String id, long millis, long otherwise) {
    return boot != null && boot.bootId().equals(id) ? serverMillis + (millis - boot.millis()) : otherwise;
  }

  /** The server's clock in whole seconds. */
  long serverSeconds() {
    return Math.floorDiv(serverMillis, 1000);
  }
}

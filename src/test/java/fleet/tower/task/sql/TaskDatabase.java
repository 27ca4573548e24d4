package fleet.tower.task.sql;

import java.time.Duration;
import java.util.List;

import fleet.tower.platform.sql.DirectTables;

/** The database of a task store, with time that tests can advance. */
public record TaskDatabase(String url) {

  /** Moves all claims into the past, which is the same to the store as so much elapsed time. */
  void pass(Duration duration) {
    long millis = duration.toMillis();
    change("UPDATE tasks SET claimed_at = claimed_at - " + millis + ", claim_expires_at = claim_expires_at - " + millis
        + ", last_heartbeat_at = last_heartbeat_at - " + millis + ", boot_until = boot_until - " + millis
        + ", boot_beat = boot_beat - " + millis + " WHERE claimed_by IS NOT NULL");
  }

  void change(String sql) {
    new DirectTables(url).change(sql);
  }

  /** The last column of all rows. */
  List<String> look(String sql) {
    return new DirectTables(url).look(sql);
  }
}

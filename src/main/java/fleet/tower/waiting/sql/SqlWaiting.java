package fleet.tower.waiting.sql;

import static java.util.Objects.requireNonNull;

import java.util.function.Consumer;

import fleet.tower.disk.KernelRandom;
import fleet.tower.sql.Database;
import fleet.tower.time.Scheduler;
import fleet.tower.waiting.Line;

/**
 * Opens the lines of those who wait for locks in PostgreSQL, over any number of hosts.
 *
 * @param database stays open for others
 * @param warnings told when changes cannot be heard of, so that waiting takes longer
 */
public record SqlWaiting(Database database, Scheduler scheduler, Consumer<String> warnings) {
  public SqlWaiting {
    requireNonNull(database);
    requireNonNull(scheduler);
    requireNonNull(warnings);
  }

  /** The lines. Nothing is touched before somebody joins one. */
  public Line open() {
    return new SqlLine(database, scheduler, new KernelRandom(), warnings);
  }
}

package fleet.tower.task.sql;

import static java.util.Objects.requireNonNull;

import fleet.tower.platform.check.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.task.TaskStore;

/**
 * Opens tasks in a database.
 *
 * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}
 * @param time the clock since boot, which outvotes the wall clock in a database that only this host uses
 */
public record SqlTasks(String url, TimeSource time) {
  public SqlTasks {
    requireNonNull(url);
    requireNonNull(time);
  }

  /** The tasks of the database. Nothing is touched before the first call, and nothing is made before one that writes. */
  public TaskStore open() {
    return new SqlTaskStore(Database.at(url), time);
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return new ClaimExamination(() -> new SqlTaskStore(Database.at(url), time));
  }
}

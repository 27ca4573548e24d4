package fleet.tower.task.sql;

import fleet.tower.platform.check.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.task.TaskStore;

/**
 * The factory of the tasks in a database.
 *
 * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}
 * @param time the clock since boot, which overrides the wall clock in a database that only this host uses
 */
public record SqlTasks(String url, TimeSource time) {
  /** The tasks of the database. The first call opens the database; the first call that writes creates it. */
  public TaskStore open() {
    return new SqlTaskStore(Database.at(url), time);
  }

  /** The examination for the doctor. */
  public Examination examination() {
    return new ClaimExamination(() -> new SqlTaskStore(Database.at(url), time));
  }
}

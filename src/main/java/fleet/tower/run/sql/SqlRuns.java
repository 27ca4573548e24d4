package fleet.tower.run.sql;

import fleet.tower.platform.check.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.run.OutputStore;
import fleet.tower.run.RunChanges;
import fleet.tower.run.RunStore;

/**
 * Opens runs in a database.
 *
 * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}
 */
public record SqlRuns(String url) {

  /** Opens the store. The database is not used before the first call, and not created before the first write. */
  public RunStore open() {
    return new SqlRunStore(Database.at(url), RunChanges.NONE);
  }

  /** Opens the store of a fleet with the notifications of its database. */
  public RunStore open(Notifications notifications) {
    return new SqlRunStore(Database.at(url), new SqlRunChanges(notifications));
  }

  /** The output of steps in the database of a fleet, which stays open for other users. */
  public static OutputStore output(Database database) {
    return new SqlOutputStore(database);
  }

  /** The examination of the database by the doctor. */
  public Examination examination() {
    return Database.examination(url);
  }

  /** An examination that checks each time whether the database can be written now. */
  public Examination reach() {
    return Database.reach(url);
  }
}

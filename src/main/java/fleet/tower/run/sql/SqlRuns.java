package fleet.tower.run.sql;

import static java.util.Objects.requireNonNull;

import fleet.tower.platform.check.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.run.RunStore;

/**
 * Opens runs in a database.
 *
 * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}
 */
public record SqlRuns(String url) {
  public SqlRuns {
    requireNonNull(url);
  }

  /** The runs of the database. Nothing is touched before the first call, and nothing is made before one that writes. */
  public RunStore open() {
    return new SqlRunStore(Database.at(url));
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return Database.examination(url);
  }

  /** Looks whether the database can be written now, as often as it is asked. */
  public Examination reach() {
    return Database.reach(url);
  }
}

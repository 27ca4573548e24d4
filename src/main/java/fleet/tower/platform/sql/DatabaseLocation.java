package fleet.tower.platform.sql;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.Examination;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;

/**
 * Where a database is, and whether it can be reached as far as this process knows. All parts of a process open it
 * through one location, so that an outage is known to all of them at once.
 *
 * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}
 * @param reachability null if outages are not observed
 * @param use of all databases that are opened through this location
 * @param admission whether this program may use the database
 */
public record DatabaseLocation(String url, @Nullable Reachability reachability, PoolUse use,
    DatabaseAdmission admission) {

  /** A location whose outages are not observed. */
  public static DatabaseLocation of(String url) {
    return new DatabaseLocation(url, null, new PoolUse(), DatabaseAdmission.OPEN);
  }

  /** The same place, for a program that must be admitted. */
  public DatabaseLocation admitting(DatabaseAdmission admission) {
    return new DatabaseLocation(url, reachability, use, admission);
  }

  /** The same place, with its outages observed; a file has none. */
  public DatabaseLocation observed(Scheduler scheduler, TimeSource time, Reachability.Listener listener) {
    return isShared()
        ? new DatabaseLocation(url, new Reachability(Database.dialect(url), scheduler, time, listener), use, admission)
        : this;
  }

  /** Whether a URL has a known form. */
  public static boolean isValid(String url) {
    try {
      Database.dialect(url);
      return true;
    } catch (StorageException unknownForm) {
      return false;
    }
  }

  /** Whether the database can be shared by several hosts. */
  public boolean isShared() {
    return url.startsWith(Postgres.URL);
  }

  /** The database, which is not accessed yet. */
  public Database open() {
    return new Database(new Connector(Database.dialect(url), reachability, use), Migrations.ALL, admission);
  }

  /** A check that the database can be opened and written, without verifying its content. */
  public Examination reach() {
    return Database.reach(url, reachability);
  }

  @Override
  public String toString() {
    return Database.dialect(url).name();
  }
}

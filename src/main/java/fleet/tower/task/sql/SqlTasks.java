package fleet.tower.task.sql;

import fleet.tower.platform.Examination;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.task.TaskStore;

/**
 * The factory of the tasks in a database.
 *
 * @param location the database, which may be one of a single host
 * @param time the clock since boot, which overrides the wall clock in a database that only this host uses
 * @param reserve free space of the database's disk that tasks leave
 */
public record SqlTasks(DatabaseLocation location, TimeSource time, DiskReserve reserve) {

  /** The same in a database whose outages are not observed. */
  public SqlTasks(String url, TimeSource time) {
    this(DatabaseLocation.of(url), time, DiskReserve.NONE);
  }

  /** The tasks of the database. The first call opens the database; the first call that writes creates it. */
  public TaskStore open() {
    return new SqlTaskStore(location.open(), time, reserve);
  }

  /** The notices, in a database that several hosts share, that a task may have become available. */
  public Notices notices(Notifications notifications) {
    return notifications.of(TaskAnnouncements.TOPIC);
  }

  /** The examination for the doctor. */
  public Examination examination() {
    return new ClaimExamination(() -> new SqlTaskStore(location.open(), time, reserve));
  }
}

package fleet.tower.run.sql;

import java.util.List;

import fleet.tower.platform.Examination;
import fleet.tower.platform.disk.RecordedFiles.Recorder;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.run.OutputStore;
import fleet.tower.run.RunChanges;
import fleet.tower.run.RunStore;
import fleet.tower.run.members.MemberStore;

/**
 * Opens runs in a database.
 *
 * @param location the database, which may be one of a single host
 */
public record SqlRuns(DatabaseLocation location) {

  /** Runs in a database whose outages are not observed. */
  public SqlRuns(String url) {
    this(DatabaseLocation.of(url));
  }

  /** Opens the store. The database is not used before the first call, and not created before the first write. */
  public RunStore open() {
    return open(Recorder.NONE);
  }

  /** Opens the store of a single host, whose runs begin and end durably once the journal has their records. */
  public RunStore open(Recorder recorder) {
    return new SqlRunStore(location.open(), RunChanges.NONE, new RunRecords(recorder));
  }

  /** The rows that the journal has records of. */
  public void restore(List<String> records) {
    try (Database database = location.open()) {
      RunRecords.restore(database, records);
    }
  }

  /** Opens the store of a fleet with the notifications of its database. */
  public RunStore open(Notifications notifications) {
    return new SqlRunStore(location.open(), new SqlRunChanges(notifications),
        new RunRecords(Recorder.NONE));
  }

  /** The executors of a fleet; the database is not used before the first call. */
  public MemberStore members() {
    return new SqlMemberStore(location.open());
  }

  /** The output of steps in the database of a fleet, which stays open for other users. */
  public static OutputStore output(Database database) {
    return new SqlOutputStore(database);
  }

  /** The examination of the database by the doctor. */
  public Examination examination() {
    return Database.examination(location.url());
  }

  /** An examination that checks each time whether the database can be written now. */
  public Examination reach() {
    return location.reach();
  }
}

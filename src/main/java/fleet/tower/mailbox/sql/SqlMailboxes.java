package fleet.tower.mailbox.sql;

import static java.util.Objects.requireNonNull;

import fleet.tower.mailbox.MailboxStore;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.TimeSource;

/**
 * Opens mailboxes in a database.
 *
 * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}
 * @param time the clock since boot, which outvotes the wall clock in a database that only this host uses
 */
public record SqlMailboxes(String url, TimeSource time) {
  public SqlMailboxes {
    requireNonNull(url);
    requireNonNull(time);
  }

  /** The mailboxes of the database. Nothing is touched before the first call, and nothing is made before one that writes. */
  public MailboxStore open() {
    return new SqlMailboxStore(Database.at(url), time);
  }

  /** What the doctor looks at here. */
  public Examination examination() {
    return new MailboxExamination(() -> Database.at(url));
  }
}

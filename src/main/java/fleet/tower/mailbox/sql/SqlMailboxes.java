package fleet.tower.mailbox.sql;

import fleet.tower.mailbox.MailboxStore;
import fleet.tower.platform.check.Examination;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.time.TimeSource;

/**
 * Factory of mailbox stores in a database.
 *
 * @param url {@code jdbc:sqlite:FILE} or {@code jdbc:postgresql://HOST/NAME}
 *
 * @param time the boot clock, which overrides the wall clock in a database that only this host uses
 */
public record SqlMailboxes(String url, TimeSource time) {
  /** Opens the mailboxes. Connects on the first call; creates tables on the first write. */
  public MailboxStore open() {
    return new SqlMailboxStore(Database.at(url), time);
  }

  /** The health check of the mailboxes. */
  public Examination examination() {
    return new MailboxExamination(() -> Database.at(url));
  }
}

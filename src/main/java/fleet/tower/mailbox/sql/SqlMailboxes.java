package fleet.tower.mailbox.sql;

import java.util.Set;

import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.platform.Examination;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.TimeSource;

/**
 * Factory of mailbox stores in a database.
 *
 * @param location the database, which may be one of a single host
 *
 * @param time the boot clock, which overrides the wall clock in a database that only this host uses
 *
 * @param bounds the bounds of each mailbox
 *
 * @param reserve free space of the database's disk that messages leave
 */
public record SqlMailboxes(DatabaseLocation location, TimeSource time, MailboxStore.Bounds bounds,
    DiskReserve reserve) {

  /** Mailboxes without bounds in a database whose outages are not observed. */
  public SqlMailboxes(String url, TimeSource time) {
    this(DatabaseLocation.of(url), time, MailboxStore.Bounds.NONE, DiskReserve.NONE);
  }

  /** Opens the mailboxes. Connects on the first call; creates tables on the first write. */
  public MailboxStore open() {
    return new SqlMailboxStore(location.open(), time, bounds, reserve);
  }

  /** The notices of messages in a database that several hosts share; their subject is the mailbox. */
  public Notices notices(Notifications notifications) {
    return notifications.of(MailboxAnnouncements.TOPIC);
  }

  /**
   * The health check of the mailboxes.
   *
   * @param unbounded the mailboxes to which the bounds do not apply
   */
  public Examination examination(Set<MailboxName> unbounded) {
    return new MailboxExamination(location::open, bounds, unbounded);
  }
}

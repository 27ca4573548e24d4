package fleet.tower.mailbox.sql;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.TestMailboxes;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.sql.DatabaseLocation;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.time.TimeSource;

/** The mailboxes of a database, with direct access to its tables. */
final class SqlTestMailboxes implements TestMailboxes {
  private final String url;
  private final TimeSource time;
  private final List<MailboxStore> opened = new ArrayList<>();

  SqlTestMailboxes(String url, TimeSource time) {
    this.url = url;
    this.time = time;
  }

  @Override
  public MailboxStore open(MailboxStore.Bounds bounds) {
    MailboxStore store = new SqlMailboxes(DatabaseLocation.of(url), time, bounds, DiskReserve.NONE).open();
    opened.add(store);
    return store;
  }

  /** Moves all that is stored into the past, which is the same for the store. */
  @Override
  public void pass(Duration duration) {
    long millis = duration.toMillis();
    change("UPDATE mailbox_messages SET due = due - " + millis + ", due_at_most = due_at_most - " + millis);
    stepWallClock(duration);
  }

  /** Simulates a step of the wall clock alone. */
  void stepWallClock(Duration by) {
    long millis = by.toMillis();
    change("UPDATE mailbox_messages SET enqueued_at = enqueued_at - " + millis + ", visible_at = visible_at - " + millis
        + ", first_received_at = first_received_at - " + millis + ", leased_at = leased_at - " + millis
        + ", dead_at = dead_at - " + millis);
  }

  @Override
  public void change(String sql) {
    new DirectTables(url).change(sql);
  }

  /** The last column of all rows. */
  List<String> look(String sql) {
    return new DirectTables(url).look(sql);
  }

  @Override
  public void close() {
    opened.forEach(MailboxStore::close);
  }
}

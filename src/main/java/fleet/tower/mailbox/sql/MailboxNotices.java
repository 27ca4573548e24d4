package fleet.tower.mailbox.sql;

import java.sql.SQLException;

import fleet.tower.mailbox.ArrivalNotices;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.sql.Notifications;
import fleet.tower.platform.sql.Session;

/** The announcements of arrived messages, one topic for all mailboxes. */
record MailboxNotices(Notifications notifications) implements ArrivalNotices {
  private static final String TOPIC = "mailboxes";

  /** Announces, when the transaction commits, that a mailbox has a message or will have one. */
  static void announce(Session session, String mailbox) throws SQLException {
    session.announce(TOPIC, mailbox);
  }

  @Override
  public Subscription subscribe(Listener listener) {
    return notifications.subscribe(TOPIC, new Notifications.Listener() {
      @Override
      public void changed(String subject) {
        try {
          listener.arrived(new MailboxName(subject));
        } catch (InvalidValue notOurs) {
          // Any client of the database can announce anything.
        }
      }

      @Override
      public void missed() {
        listener.missed();
      }
    })::close;
  }
}

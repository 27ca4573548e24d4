package fleet.tower.mailbox.sql;

import java.sql.SQLException;

import fleet.tower.platform.sql.Session;

/** The announcements of arrived messages, one topic for all mailboxes; their subject is the mailbox. */
final class MailboxAnnouncements {
  static final String TOPIC = "mailboxes";

  private MailboxAnnouncements() {}

  /** Announces, when the transaction commits, that a mailbox has a message or will have one. */
  static void announce(Session session, String mailbox) throws SQLException {
    session.announce(TOPIC, mailbox);
  }
}

package fleet.tower.service.call.mailbox;

import fleet.tower.access.Caller;
import fleet.tower.mailbox.MailboxName;

/** Checks whether a caller may use a mailbox. Its name and its counts are visible to everyone. */
final class MailboxRights {
  private MailboxRights() {}

  static MailboxName require(Caller caller, String name) {
    MailboxName mailbox = new MailboxName(name);
    caller.requireMailbox(mailbox.value());
    return mailbox;
  }
}

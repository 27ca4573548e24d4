package fleet.tower.run.queue;

import java.util.OptionalInt;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageId;
import fleet.tower.run.submit.QueuedRuns;

/** The queue of runs as a mailbox. Each message has the id of its run as its own id and as its body. */
public final class RunQueue implements QueuedRuns.Backlog {
  public static final MailboxName MAILBOX = new MailboxName("tower-runs");

  private final Mailboxes mailboxes;

  public RunQueue(Mailboxes mailboxes) {
    this.mailboxes = mailboxes;
  }

  @Override
  public long size() {
    return mailboxes.count(MAILBOX).messages();
  }

  /** A message that already exists under this id is the same entry, whatever its state. */
  @Override
  public void put(RequestId requestId) {
    mailboxes
        .send(new MailboxCommand.Send(MAILBOX, new MessageId(requestId.value()), Body.text(requestId.value()), null,
            OptionalInt.empty()));
  }
}

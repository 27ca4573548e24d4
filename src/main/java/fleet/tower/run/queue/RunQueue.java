package fleet.tower.run.queue;

import static java.util.Objects.requireNonNull;

import java.util.OptionalInt;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.Body;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageId;
import fleet.tower.run.submit.QueuedRuns;

/** The mailbox in which runs are noted that any executor may take: a message each, which is the run's id and has it too. */
public final class RunQueue implements QueuedRuns.Backlog {
  public static final MailboxName MAILBOX = new MailboxName("tower-runs");

  private final Mailboxes mailboxes;

  public RunQueue(Mailboxes mailboxes) {
    this.mailboxes = requireNonNull(mailboxes);
  }

  @Override
  public long size() {
    return mailboxes.count(MAILBOX).messages();
  }

  /** What is there already under this id is the same note, lent or dead or not. */
  @Override
  public void put(RequestId requestId) {
    mailboxes
        .send(new MailboxCommand.Send(MAILBOX, new MessageId(requestId.value()), Body.text(requestId.value()), null,
            OptionalInt.empty()));
  }
}

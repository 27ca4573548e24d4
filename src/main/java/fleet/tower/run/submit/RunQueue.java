package fleet.tower.run.submit;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Visibility;
import fleet.tower.run.Run;

/**
 * The queue of runs as a mailbox. Each message has the id of its run as its own id and as its body, and the digest
 * of its intent as its audience.
 */
public final class RunQueue implements QueuedRuns.Backlog {
  public static final MailboxName MAILBOX = new MailboxName("tower-runs");
  private static final Visibility LENT = new Visibility(60);

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
  public void put(RequestId requestId, Run.@Nullable Declaration declaration) {
    mailboxes
        .send(new MailboxCommand.Send(MAILBOX, new MessageId(requestId.value()), MessageBody.text(requestId.value()),
            null, OptionalInt.empty(),
            declaration == null ? null : declaration.digest()));
  }

  @Override
  public Set<String> addressed() {
    return mailboxes.audiences(MAILBOX);
  }

  @Override
  public void drain(String digest, Predicate<RequestId> end) {
    MailboxCommand.Receive next = new MailboxCommand.Receive(MAILBOX, MailboxCommand.Receive.MAX_MESSAGES, LENT,
        MailboxCommand.Receive.MAX_DELIVERIES,
        new MailboxCommand.Selection(Set.of(digest), false));
    List<Message.Delivery> received = mailboxes.receive(next).deliveries();
    while (!received.isEmpty() && received.stream().filter(delivery -> isEnded(delivery, end)).count() > 0) {
      received = mailboxes.receive(next).deliveries();
    }
  }

  private boolean isEnded(Message.Delivery delivery, Predicate<RequestId> end) {
    if (end.test(new RequestId(delivery.message().id().value()))) {
      mailboxes.ack(new MailboxCommand.Ack(delivery.mailbox(), delivery.receipt()));
      return true;
    }
    mailboxes.nack(new MailboxCommand.Nack(delivery.mailbox(), delivery.receipt(), LENT, null));
    return false;
  }
}

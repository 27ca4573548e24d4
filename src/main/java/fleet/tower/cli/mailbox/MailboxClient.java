package fleet.tower.cli.mailbox;

import java.time.Duration;
import java.util.List;

import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.Message;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.Cancellation;

/**
 * Access to mailboxes, in the database of a home or through a service. A refusal or an unreachable service is thrown as
 * a {@link fleet.tower.answer.RemoteRefusal}.
 */
public interface MailboxClient extends AutoCloseable {

  MailboxOutcome perform(MailboxCommand command);

  /** Waits for the first message. A cancelled wait leases nothing and answers with nothing. */
  MailboxOutcome.Received receive(MailboxCommand.Receive command, Duration wait, Cancellation cancellation);

  MailboxStore.Count count(MailboxName mailbox);

  /** The mailboxes that have messages or dead letters. */
  List<MailboxStore.Count> counts();

  Rows<Message.DeadLetter> dead(MailboxName mailbox, int limit);

  long purge(MailboxName mailbox);

  long purgeDead(MailboxName mailbox);

  @Override
  void close();
}

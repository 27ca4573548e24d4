package fleet.tower.mailbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import fleet.tower.lease.RequestId;

/**
 * Where messages are kept. Every command is all or nothing, from this process and any other, by the store's own clock; what
 * it says has happened survives the death of the process, and but for {@link #extend} a power cut as well. A command that is
 * refused changes nothing. Where storage fails a {@code StorageException} is thrown, and it is not known whether the change
 * was made.
 */
public interface MailboxStore extends AutoCloseable {

  /** Puts a message at the end, under {@code fresh} where the command names no id. */
  MailboxOutcome.OfSend send(MailboxCommand.Send command, MessageId fresh);

  /**
   * Lends the first messages that are visible, in the order in which they were sent. What may not be delivered once more, or
   * cannot be read, becomes a dead letter instead, and the next one is looked at.
   *
   * @param delivery makes the receipts; never used before
   * @param stampNanos when the worker asked, on its own clock: what its deadlines are counted from
   */
  MailboxOutcome.Received receive(MailboxCommand.Receive command, RequestId delivery, long stampNanos);

  MailboxOutcome.OfAck ack(MailboxCommand.Ack command);

  MailboxOutcome.OfNack nack(MailboxCommand.Nack command);

  MailboxOutcome.OfReject reject(MailboxCommand.Reject command);

  MailboxOutcome.OfExtend extend(MailboxCommand.Extend command);

  /** Sends the answer under {@code fresh}, and acknowledges with it where it is the last; both or neither. */
  MailboxOutcome.OfReply reply(MailboxCommand.Reply command, MessageId fresh);

  /** How long until something is visible, as far as is known now; nothing where nothing is there. Changes nothing. */
  Optional<Duration> untilVisible(MailboxName mailbox);

  /** How many there are in each state; zeros for a mailbox that is not there. */
  Count count(MailboxName mailbox);

  /** The same of all mailboxes that have messages or dead letters, by name. */
  List<Count> counts();

  /** Hands over the dead letters of a mailbox, the oldest first, until it is answered false; few of them are in memory at once. */
  void dead(MailboxName mailbox, int limit, Predicate<Message.DeadLetter> reader);

  /** The same as a list. */
  default List<Message.DeadLetter> dead(MailboxName mailbox, int limit) {
    List<Message.DeadLetter> letters = new ArrayList<>();
    dead(mailbox, limit, letters::add);
    return letters;
  }

  /** Throws away all messages of a mailbox, also those that are lent; not the dead letters. Tells how many. */
  long purge(MailboxName mailbox);

  /** Throws away the dead letters of a mailbox. Tells how many. */
  long purgeDead(MailboxName mailbox);

  /** Puts dead letters back to be delivered; those that are named are put back in one step. */
  MailboxOutcome.OfRevive revive(MailboxCommand.Revive command);

  @Override
  void close();

  /** How many messages a mailbox has: to be had now, lent, given back for later, dead. */
  record Count(MailboxName mailbox, long ready, long leased, long delayed, long dead) {
    /** All that are not dead letters. */
    public long messages() {
      return ready + leased + delayed;
    }
  }
}

package fleet.tower.mailbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import fleet.tower.lease.RequestId;

/**
 * A store of messages. Every command is atomic, for all processes, and timed by the store's own clock. Its effect
 * survives the death of the process and, except for {@link #extend}, a power failure. A refused command changes
 * nothing. A broken store throws {@code StorageException}; it is then unknown whether the change took effect.
 */
public interface MailboxStore extends AutoCloseable {

  /** Appends a message; its id is {@code fresh} if the command names none. */
  MailboxOutcome.OfSend send(MailboxCommand.Send command, MessageId fresh);

  /**
   * Leases the first visible messages, in the order in which they were sent. A message that has no delivery left, or is
   * unreadable, becomes a dead letter instead, and the next one is considered.
   *
   * @param delivery identifies the receipts; never reused
   *
   * @param stampNanos the local time before the request, from which the local deadlines count
   */
  MailboxOutcome.Received receive(MailboxCommand.Receive command, RequestId delivery, long stampNanos);

  MailboxOutcome.OfAck ack(MailboxCommand.Ack command);

  MailboxOutcome.OfNack nack(MailboxCommand.Nack command);

  MailboxOutcome.OfReject reject(MailboxCommand.Reject command);

  MailboxOutcome.OfExtend extend(MailboxCommand.Extend command);

  /** Sends the reply under {@code fresh}, and acknowledges the message if it is the last; atomically. */
  MailboxOutcome.OfReply reply(MailboxCommand.Reply command, MessageId fresh);

  /** Returns the messages that a receiver has, at once and without an error, as the end of their leases would. */
  List<GivenBack> giveBack(String receiver);

  /** A message that is in its mailbox again. */
  record GivenBack(MessageId id, MailboxName mailbox) {}

  /** The time until a message is visible, as far as known now; empty if there are no messages. Changes nothing. */
  Optional<Duration> untilVisible(MailboxName mailbox);

  /** The same for the messages that a receiver can process. */
  Optional<Duration> untilVisible(MailboxCommand.Receive receiver);

  /** The audiences of the messages of a mailbox that no worker has. */
  Set<String> audiences(MailboxName mailbox);

  /** The number of messages in each state; zeros for an unknown mailbox. */
  Count count(MailboxName mailbox);

  /** The same for all mailboxes with messages or dead letters, by name. */
  List<Count> counts();

  /** What all mailboxes have. Reads every row; for rare use. */
  List<Size> sizes();

  /**
   * Passes the dead letters of a mailbox to {@code reader}, oldest first, until it returns false; keeps few of them in
   * memory.
   */
  void dead(MailboxName mailbox, int limit, Predicate<Message.DeadLetter> reader);

  /** The dead letters of a mailbox as a list. */
  default List<Message.DeadLetter> dead(MailboxName mailbox, int limit) {
    List<Message.DeadLetter> letters = new ArrayList<>();
    dead(mailbox, limit, letters::add);
    return letters;
  }

  /** Deletes all messages of a mailbox, including leased ones, but not the dead letters. Returns their number. */
  long purge(MailboxName mailbox);

  /** Deletes the dead letters of a mailbox. Returns their number. */
  long purgeDead(MailboxName mailbox);

  /** Makes dead letters deliverable again; named ones in one step. */
  MailboxOutcome.OfRevive revive(MailboxCommand.Revive command);

  @Override
  void close();

  /** What a mailbox may have at most: messages, dead letters included, and bytes of their bodies. */
  record Bounds(long messages, long bytes) {
    public static final Bounds NONE = new Bounds(Long.MAX_VALUE, Long.MAX_VALUE);
    private static final double ALL_PERCENT = 100;

    /** The share of the messages that a mailbox may have, in percent. */
    public long percentOfMessages(Size size) {
      return percent(size.messages, messages);
    }

    /** The share of the bytes that a mailbox may have, in percent. */
    public long percentOfBytes(Size size) {
      return percent(size.bytes, bytes);
    }

    /** The larger share, in percent. */
    public long percent(Size size) {
      return Math.max(percentOfMessages(size), percentOfBytes(size));
    }

    private static long percent(long part, long whole) {
      return (long) (ALL_PERCENT * part / whole);
    }
  }

  /** What a mailbox has: messages, dead letters included, and bytes of their bodies. */
  record Size(MailboxName mailbox, long messages, long bytes) {}

  /** The number of messages of a mailbox: ready, leased, returned with a delay, dead. */
  record Count(MailboxName mailbox, long ready, long leased, long delayed, long dead) {
    /** All messages that are not dead letters. */
    public long messages() {
      return ready + leased + delayed;
    }
  }
}

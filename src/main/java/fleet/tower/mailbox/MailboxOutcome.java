package fleet.tower.mailbox;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The answer to a {@link MailboxCommand}. */
public sealed interface MailboxOutcome {

  /** The answer to {@link MailboxCommand.Send}. */
  sealed interface OfSend extends MailboxOutcome permits Sent, IdTaken, Full {}

  /** The answer to {@link MailboxCommand.Ack}. */
  sealed interface OfAck extends MailboxOutcome permits Acked, OldReceipt {}

  /** The answer to {@link MailboxCommand.Nack}. */
  sealed interface OfNack extends MailboxOutcome permits Returned, OldReceipt {}

  /** The answer to {@link MailboxCommand.Reject}. */
  sealed interface OfReject extends MailboxOutcome permits Rejected, OldReceipt {}

  /** The answer to {@link MailboxCommand.Extend}. */
  sealed interface OfExtend extends MailboxOutcome permits Extended, OldReceipt {}

  /** The answer to {@link MailboxCommand.Reply}. */
  sealed interface OfReply extends MailboxOutcome permits Replied, NoReplyAddress, OldReceipt {}

  /** The answer to {@link MailboxCommand.Revive}. */
  sealed interface OfRevive extends MailboxOutcome permits Revived, NoDeadLetter {}

  /** What was refused; nothing has changed. */
  sealed interface Refusal extends MailboxOutcome permits IdTaken, Full, OldReceipt, NoReplyAddress, NoDeadLetter {}

  /**
   * It is in the mailbox.
   *
   * @param replayed whether it was there already, as the same message of the same id
   */
  record Sent(Message message, boolean replayed) implements OfSend {}

  /**
   * What there was to be had, the oldest first; perhaps nothing.
   *
   * @param buried what was seen to be a dead letter on the way
   */
  record Received(List<Message.Delivery> deliveries, List<Message.DeadLetter> buried) implements MailboxOutcome {
    public static final Received NOTHING = new Received(List.of(), List.of());

    public Received {
      deliveries = List.copyOf(deliveries);
      buried = List.copyOf(buried);
    }
  }

  /** It is done with, and gone. */
  record Acked(MessageId id) implements OfAck {}

  /** It is offered to others from that moment on. */
  record Returned(MessageId id, Instant visibleAt) implements OfNack {}

  /** It is a dead letter. */
  record Rejected(Message.DeadLetter letter) implements OfReject {}

  /**
   * It is the worker's for longer.
   *
   * @param at when it was extended, by the store's clock
   * @param visibleAt twelve hours behind its delivery at the latest: nobody has a message for ever
   */
  record Extended(MessageId id, Instant at, Instant visibleAt) implements OfExtend {
    /** For how long it is the worker's. */
    public Duration remaining() {
      return Duration.between(at, visibleAt);
    }
  }

  /** The answer is in the mailbox that waits for it. */
  record Replied(Message reply, boolean isLast) implements OfReply {}

  /** So many are offered again. */
  record Revived(MailboxName mailbox, long messages) implements OfRevive {}

  /** There is another message of this id. */
  record IdTaken(MessageId id) implements OfSend, Refusal {}

  /** The mailbox has as many messages as it may. */
  record Full(MailboxName mailbox, int limit) implements OfSend, Refusal {}

  /** Nobody said where an answer should go. */
  record NoReplyAddress(MessageId id) implements OfReply, Refusal {}

  /** The mailbox has no dead letter of this id that could be delivered. */
  record NoDeadLetter(MailboxName mailbox, MessageId id) implements OfRevive, Refusal {}

  /** Why a receipt is worth nothing any more. */
  enum Reason {
    /** Its time was over. */
    EXPIRED,
    /** The message was offered to others again, and perhaps lent to one of them. */
    PASSED_ON,
    /** The message is a dead letter. */
    DEAD,
    /** The message is done with or purged, or never was in this mailbox. */
    GONE;

    /** The reason in a few words. */
    public String describe() {
      return switch (this) {
        case EXPIRED -> "receipt handle expired";
        case PASSED_ON -> "receipt handle expired, the message was offered to others again";
        case DEAD -> "receipt handle expired, the message is a dead letter";
        case GONE -> "receipt handle expired, the message was acknowledged or purged";
      };
    }
  }

  /** The receipt is not that of a lease which runs. Work on the message must stop: it may be another's now. */
  record OldReceipt(Receipt receipt, Reason reason) implements OfAck, OfNack, OfReject, OfExtend, OfReply, Refusal {}
}

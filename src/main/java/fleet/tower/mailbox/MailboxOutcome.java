package fleet.tower.mailbox;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The outcome of a {@link MailboxCommand}. */
public sealed interface MailboxOutcome {

  /** The outcome of {@link MailboxCommand.Send}. */
  sealed interface OfSend extends MailboxOutcome permits Sent, IdTaken, Full {}

  /** The outcome of {@link MailboxCommand.Ack}. */
  sealed interface OfAck extends MailboxOutcome permits Acked, OldReceipt {}

  /** The outcome of {@link MailboxCommand.Nack}. */
  sealed interface OfNack extends MailboxOutcome permits Returned, OldReceipt {}

  /** The outcome of {@link MailboxCommand.Reject}. */
  sealed interface OfReject extends MailboxOutcome permits Rejected, OldReceipt {}

  /** The outcome of {@link MailboxCommand.Extend}. */
  sealed interface OfExtend extends MailboxOutcome permits Extended, OldReceipt {}

  /** The outcome of {@link MailboxCommand.Reply}. */
  sealed interface OfReply extends MailboxOutcome permits Replied, NoReplyAddress, OldReceipt, Full {}

  /** The outcome of {@link MailboxCommand.Revive}. */
  sealed interface OfRevive extends MailboxOutcome permits Revived, NoDeadLetter {}

  /** A refusal; nothing has changed. */
  sealed interface Refusal extends MailboxOutcome permits IdTaken, Full, OldReceipt, NoReplyAddress, NoDeadLetter {}

  /**
   * The message is in the mailbox.
   *
   * @param replayed whether an identical message with this id was in the mailbox already
   */
  record Sent(Message message, boolean replayed) implements OfSend {}

  /**
   * The available messages, oldest first; may be empty.
   *
   * @param buried the messages that became dead letters instead of being delivered
   */
  record Received(List<Message.Delivery> deliveries, List<Message.DeadLetter> buried) implements MailboxOutcome {
    public static final Received NOTHING = new Received(List.of(), List.of());

    public Received {
      deliveries = List.copyOf(deliveries);
      buried = List.copyOf(buried);
    }
  }

  /** The message is deleted. */
  record Acked(MessageId id) implements OfAck {}

  /** The message is offered again from that moment on. */
  record Returned(MessageId id, Instant visibleAt) implements OfNack {}

  /** The message is a dead letter. */
  record Rejected(Message.DeadLetter letter) implements OfReject {}

  /**
   * The lease is extended.
   *
   * @param at when it was extended, by the store's clock
   *
   * @param visibleAt the end of the lease; at most twelve hours after the delivery
   */
  record Extended(MessageId id, Instant at, Instant visibleAt) implements OfExtend {
    /** The remaining duration of the lease. */
    public Duration remaining() {
      return Duration.between(at, visibleAt);
    }
  }

  /** The reply is in the mailbox that expects it. */
  record Replied(Message reply, boolean isLast) implements OfReply {}

  /** That many dead letters are deliverable again. */
  record Revived(MailboxName mailbox, long messages) implements OfRevive {}

  /** A different message has this id. */
  record IdTaken(MessageId id) implements OfSend, Refusal {}

  /** The mailbox has no room for the message: of what {@code bound} says, it may have {@code most}. */
  record Full(MailboxName mailbox, Bound bound, long most) implements OfSend, OfReply, Refusal {
    /** What is bounded. */
    public enum Bound {
      /** The messages that are not dead letters, by the sender. */
      LIMIT,
      /** All messages. */
      MESSAGES,
      /** The bytes of all messages. */
      BYTES
    }
  }

  /** The message has no reply address. */
  record NoReplyAddress(MessageId id) implements OfReply, Refusal {}

  /** The mailbox has no deliverable dead letter with this id. */
  record NoDeadLetter(MailboxName mailbox, MessageId id) implements OfRevive, Refusal {}

  /** Why a receipt is no longer valid. */
  enum Reason {
    /** The lease has expired. */
    EXPIRED,
    /** The message was offered again, and may be leased to another worker. */
    PASSED_ON,
    /** The message is a dead letter. */
    DEAD,
    /** The message was acknowledged or purged, or was never in this mailbox. */
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

  /** The receipt is not that of a running lease. Work on the message must stop, because another worker may have it. */
  record OldReceipt(Receipt receipt, Reason reason) implements OfAck, OfNack, OfReject, OfExtend, OfReply, Refusal {}
}

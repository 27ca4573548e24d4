package fleet.tower.mailbox;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * A message.
 *
 * @param replyTo the mailbox that receives the reply; null if none is expected
 *
 * @param inReplyTo the message that this one replies to, or null
 *
 * @param enqueuedAt by the store's clock, like all times of a message
 */
public record Message(MessageId id, MailboxName mailbox, MessageBody body, @Nullable MailboxName replyTo,
    @Nullable MessageId inReplyTo, Instant enqueuedAt) {
  /** The state of a message. {@link MessageTransition} defines the changes. */
  public enum State {
    /** Offered to receivers. */
    READY,
    /** Leased to a worker until its lease ends. */
    LEASED,
    /** Returned by a worker, to be offered later. */
    DELAYED,
    /** A dead letter: kept, but no longer offered. */
    DEAD,
    /** Acknowledged, purged, or never sent; nothing of it is stored. */
    GONE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A delivery of a message to a worker: a lease.
   *
   * @param count the number of deliveries, including this one
   *
   * @param visibleAt when the message is offered again, unless the worker extends the lease or settles the message
   *
   * @param deadlineNanos when the worker must stop relying on the lease, by this process' own clock; measured from
   * before the request, so never later than the store's deadline
   */
  public record Delivery(Message message, Receipt receipt, long count, Instant visibleAt, long deadlineNanos) {
    /** An upper limit, so that a message that failed often is not delayed for long. */
    private static final long LONGEST_PAUSE_SECONDS = 900;
    private static final long PAUSE_SECONDS = 60;

    public MailboxName mailbox() {
      return message.mailbox();
    }

    /** The delay before the next attempt if this one fails; grows with the number of deliveries. */
    public Visibility pause() {
      return new Visibility(Math.min(PAUSE_SECONDS * Math.min(count, LONGEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS));
    }
  }

  /** Why a message is a dead letter. */
  public enum Cause {
    /** It reached the maximum number of deliveries without being settled. */
    TOO_MANY_DELIVERIES,
    /** Its stored form is unreadable. */
    UNREADABLE,
    /** A worker rejected it. */
    REJECTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A message that is no longer offered; kept until it is purged.
   *
   * @param raw the body's text as stored, which need not be JSON
   *
   * @param firstReceivedAt null if the message was never delivered
   *
   * @param lastError the last worker's error, or null
   */
  public record DeadLetter(MessageId id, MailboxName mailbox, String raw, @Nullable MailboxName replyTo,
      long deliveryCount, Cause cause, @Nullable String lastError, Instant enqueuedAt,
      @Nullable Instant firstReceivedAt, Instant deadAt) {}
}

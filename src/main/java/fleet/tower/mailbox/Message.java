package fleet.tower.mailbox;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Something that was sent.
 *
 * @param replyTo the mailbox that waits for the answer; null where nobody does
 * @param inReplyTo the message that this one answers; null where it answers none
 * @param enqueuedAt by the store's clock, as all times of a message
 */
public record Message(MessageId id, MailboxName mailbox, Body body, @Nullable MailboxName replyTo,
    @Nullable MessageId inReplyTo, Instant enqueuedAt) {
  public Message {
    requireNonNull(id);
    requireNonNull(mailbox);
    requireNonNull(body);
    requireNonNull(enqueuedAt);
  }

  /** Where a message stands. How it gets from one to another is in {@link MessageTransition}. */
  public enum State {
    /** It is offered to whoever asks. */
    READY,
    /** A worker has it, until its lease runs out. */
    LEASED,
    /** A worker gave it back for later. */
    DELAYED,
    /** A dead letter: offered no more, and kept. */
    DEAD,
    /** It is done with, or was never sent; nothing of it is stored. */
    GONE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One delivery of a message to one worker: a lease.
   *
   * @param count how often it has been delivered, this time included
   * @param visibleAt when it is offered to others, unless the worker has extended the lease or is done
   * @param deadlineNanos when the worker must no longer believe in it, on this process' own clock: stamped before the message
   *     was taken, so no later than others may have it
   */
  public record Delivery(Message message, Receipt receipt, long count, Instant visibleAt, long deadlineNanos) {
    /** Nobody waits for long because somebody failed often. */
    private static final long LONGEST_PAUSE_SECONDS = 900;
    private static final long PAUSE_SECONDS = 60;

    public Delivery {
      requireNonNull(message);
      requireNonNull(receipt);
      requireNonNull(visibleAt);
    }

    public MailboxName mailbox() {
      return message.mailbox();
    }

    /** How long to wait before it is tried again, where this try has failed: the longer, the more have. */
    public Visibility pause() {
      return new Visibility(Math.min(PAUSE_SECONDS * Math.min(count, LONGEST_PAUSE_SECONDS), LONGEST_PAUSE_SECONDS));
    }
  }

  /** Why a message is a dead letter. */
  public enum Cause {
    /** It has been delivered as often as is allowed, and nobody was ever done with it. */
    TOO_MANY_DELIVERIES,
    /** What is stored of it cannot be read. */
    UNREADABLE,
    /** A worker said that it is no use to try again. */
    REJECTED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A message that is offered no more; it is kept until somebody purges it.
   *
   * @param raw the body's text as it is stored, which need not be JSON
   * @param firstReceivedAt null where nobody ever got it
   * @param lastError what the last worker that complained has said; null where none did
   */
  public record DeadLetter(MessageId id, MailboxName mailbox, String raw, @Nullable MailboxName replyTo,
      long deliveryCount, Cause cause, @Nullable String lastError, Instant enqueuedAt,
      @Nullable Instant firstReceivedAt, Instant deadAt) {
    public DeadLetter {
      requireNonNull(id);
      requireNonNull(mailbox);
      requireNonNull(raw);
      requireNonNull(cause);
      requireNonNull(enqueuedAt);
      requireNonNull(deadAt);
    }
  }
}

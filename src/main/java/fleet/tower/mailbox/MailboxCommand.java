package fleet.tower.mailbox;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.OptionalInt;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/** A command of a client to a mailbox. */
public sealed interface MailboxCommand {

  MailboxName mailbox();

  /**
   * Appends a message.
   *
   * @param id the message's id, so that the sender may repeat the command if the response is lost; null to generate one
   *
   * @param replyTo the mailbox that receives the reply; null if none is expected
   *
   * @param limit the maximum number of messages in the mailbox, waiting or leased, including this one; empty for no
   * limit
   *
   * @param audience the only receivers of the message, see {@link Selection}; null for all
   */
  record Send(MailboxName mailbox, @Nullable MessageId id, MessageBody body, @Nullable MailboxName replyTo,
      OptionalInt limit,
      @Nullable String audience)
      implements
        MailboxCommand {
    /** Messages are counted on every limited send, so a limit must be quick to count to. */
    public static final int MAX_LIMIT = 100_000;

    public Send {
      require(limit.isEmpty() || (limit.getAsInt() >= 1 && limit.getAsInt() <= MAX_LIMIT),
          "limit " + limit.orElse(0) + " is outside 1 to " + MAX_LIMIT + " messages; leave it out for none");
    }

    /** A message that expects no reply. */
    public static Send of(MailboxName mailbox, MessageBody body) {
      return new Send(mailbox, null, body, null, OptionalInt.empty(), null);
    }
  }

  /**
   * Leases the first available messages.
   *
   * @param maxMessages the maximum number, itself limited to {@value #MAX_MESSAGES}
   *
   * @param visibility the duration of the lease
   *
   * @param maxDeliveries a message with this many deliveries becomes a dead letter instead
   *
   * @param selection the messages that the receiver can process; null for all of the mailbox
   *
   * @param receiver the actor who receives them; null for a process of the home itself
   */
  record Receive(MailboxName mailbox, int maxMessages, Visibility visibility, int maxDeliveries,
      @Nullable Selection selection, @Nullable String receiver)
      implements
        MailboxCommand {
    public static final int MAX_MESSAGES = 10;
    public static final int DEFAULT_DELIVERIES = 5;
    public static final int MAX_DELIVERIES = 1000;

    public Receive {
      require(maxMessages >= 1, "max_messages " + maxMessages + " is less than 1; request 1 to " + MAX_MESSAGES);
      require(maxDeliveries >= 1 && maxDeliveries <= MAX_DELIVERIES,
          "max_deliveries " + maxDeliveries + " is outside 1 to " + MAX_DELIVERIES);
      maxMessages = Math.min(maxMessages, MAX_MESSAGES);
    }

    /** The same for some messages only. */
    public Receive selecting(Selection some) {
      return new Receive(mailbox, maxMessages, visibility, maxDeliveries, some, receiver);
    }

    /** For a process of the home itself. */
    public Receive(MailboxName mailbox, int maxMessages, Visibility visibility, int maxDeliveries,
        @Nullable Selection selection) {
      this(mailbox, maxMessages, visibility, maxDeliveries, selection, null);
    }

    /** One message, with the default limit of deliveries. */
    public static Receive one(MailboxName mailbox, Visibility visibility) {
      return new Receive(mailbox, 1, visibility, DEFAULT_DELIVERIES, null);
    }
  }

  /**
   * The messages that a receiver can process. Others stay where they are, and no delivery of them is counted.
   *
   * @param audiences the audiences that the receiver belongs to, each of letters and digits
   *
   * @param all whether it receives messages without an audience, too
   */
  record Selection(Set<String> audiences, boolean all) {
    public Selection {
      audiences = Set.copyOf(audiences);
    }

    /** The audiences in one text, each between blanks. */
    public String text() {
      return " " + String.join(" ", audiences) + " ";
    }
  }

  /** A command that only the worker with the current receipt may send. */
  sealed interface ByReceipt extends MailboxCommand {
    Receipt receipt();
  }

  /** Acknowledges a message: the work is done. */
  record Ack(MailboxName mailbox, Receipt receipt) implements ByReceipt {}

  /**
   * Returns a message.
   *
   * @param delay when to offer it again
   *
   * @param error the reason; may be null
   */
  record Nack(MailboxName mailbox, Receipt receipt, Visibility delay, @Nullable String error) implements ByReceipt {
    public Nack {
      error = error == null ? null : shortened(error);
    }
  }

  /** Turns a message into a dead letter at once, because another attempt is pointless. */
  record Reject(MailboxName mailbox, Receipt receipt, String error) implements ByReceipt {
    public Reject {
      error = shortened(error);
    }
  }

  /** Extends a lease to at least {@code by} from now; never shortens it. */
  record Extend(MailboxName mailbox, Receipt receipt, Visibility by) implements ByReceipt {}

  /**
   * Replies to a message.
   *
   * @param isLast whether this acknowledges the message too; otherwise the worker keeps it and may reply again
   */
  record Reply(MailboxName mailbox, Receipt receipt, MessageBody body, boolean isLast) implements ByReceipt {}

  /**
   * Makes dead letters deliverable again, each in its old place with no deliveries counted. Excludes unreadable ones,
   * which would become dead letters again.
   *
   * @param ids the dead letters, all or none of which are revived; empty for every one
   */
  record Revive(MailboxName mailbox, Set<MessageId> ids) implements MailboxCommand {
    public static final int MAX_IDS = 1000;

    public Revive {
      ids = Collections.unmodifiableSet(new LinkedHashSet<>(ids));
      require(ids.size() <= MAX_IDS, ids.size() + " dead letters are named; the limit is " + MAX_IDS
          + "; name none to revive all of them");
    }
  }

  /** A worker's error, cut to a maximum length. */
  private static String shortened(String error) {
    int most = 4096;
    return error.length() <= most ? error : error.substring(0, most) + "…";
  }

  private static void require(boolean isValid, String problem) {
    if (!isValid) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, problem);
    }
  }
}

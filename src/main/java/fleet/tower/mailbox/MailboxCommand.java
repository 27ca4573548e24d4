package fleet.tower.mailbox;

import static java.util.Objects.requireNonNull;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.OptionalInt;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.InvalidValue;

/** Something that somebody wants of a mailbox. */
public sealed interface MailboxCommand {

  MailboxName mailbox();

  /**
   * Puts a message at the end.
   *
   * @param id the id it gets, so that the same may be sent again when its answer was lost; null to have one made
   * @param replyTo the mailbox that waits for the answer; null where nobody does
   * @param limit as many messages, waiting or lent, the mailbox may have with this one; empty for as many as the disk takes
   */
  record Send(MailboxName mailbox, @Nullable MessageId id, Body body, @Nullable MailboxName replyTo, OptionalInt limit)
      implements
        MailboxCommand {
    /** They are counted with each message that is sent, so a limit has to be one that is quickly counted to. */
    public static final int MAX_LIMIT = 100_000;

    public Send {
      requireNonNull(mailbox);
      requireNonNull(body);
      require(limit.isEmpty() || (limit.getAsInt() >= 1 && limit.getAsInt() <= MAX_LIMIT),
          "limit " + limit.orElse(0) + " is outside 1 to " + MAX_LIMIT + " messages; leave it out for none");
    }

    /** A message that waits for no answer. */
    public static Send of(MailboxName mailbox, Body body) {
      return new Send(mailbox, null, body, null, OptionalInt.empty());
    }
  }

  /**
   * Borrows the first messages that are to be had.
   *
   * @param maxMessages at most so many, and at most {@value #MAX_MESSAGES}
   * @param visibility for how long they are the caller's
   * @param maxDeliveries who has been delivered so often already is not delivered again, but is a dead letter
   */
  record Receive(MailboxName mailbox, int maxMessages, Visibility visibility, int maxDeliveries)
      implements
        MailboxCommand {
    public static final int MAX_MESSAGES = 10;
    public static final int DEFAULT_DELIVERIES = 5;
    public static final int MAX_DELIVERIES = 1000;

    public Receive {
      requireNonNull(mailbox);
      requireNonNull(visibility);
      require(maxMessages >= 1, "max_messages " + maxMessages + " is less than 1; ask for 1 to " + MAX_MESSAGES);
      require(maxDeliveries >= 1 && maxDeliveries <= MAX_DELIVERIES,
          "max_deliveries " + maxDeliveries + " is outside 1 to " + MAX_DELIVERIES);
      maxMessages = Math.min(maxMessages, MAX_MESSAGES);
    }

    /** One message, as is usual. */
    public static Receive one(MailboxName mailbox, Visibility visibility) {
      return new Receive(mailbox, 1, visibility, DEFAULT_DELIVERIES);
    }
  }

  /** What only the worker with the current receipt may do. */
  sealed interface ByReceipt extends MailboxCommand {
    Receipt receipt();
  }

  /** The worker is done. */
  record Ack(MailboxName mailbox, Receipt receipt) implements ByReceipt {
    public Ack {
      requireNonNull(mailbox);
      requireNonNull(receipt);
    }
  }

  /**
   * The worker gives the message back.
   *
   * @param delay after which it is offered again
   * @param error why; null to say nothing
   */
  record Nack(MailboxName mailbox, Receipt receipt, Visibility delay, @Nullable String error) implements ByReceipt {
    public Nack {
      requireNonNull(mailbox);
      requireNonNull(receipt);
      requireNonNull(delay);
      error = error == null ? null : shortened(error);
    }
  }

  /** The worker says that it is no use to try again: a dead letter, at once. */
  record Reject(MailboxName mailbox, Receipt receipt, String error) implements ByReceipt {
    public Reject {
      requireNonNull(mailbox);
      requireNonNull(receipt);
      error = shortened(error);
    }
  }

  /** The worker goes on; the lease then lasts at least {@code by} from now, and never shorter than it would have. */
  record Extend(MailboxName mailbox, Receipt receipt, Visibility by) implements ByReceipt {
    public Extend {
      requireNonNull(mailbox);
      requireNonNull(receipt);
      requireNonNull(by);
    }
  }

  /**
   * The worker answers.
   *
   * @param isLast whether it is done with the message by that; else it keeps it, and may answer again
   */
  record Reply(MailboxName mailbox, Receipt receipt, Body body, boolean isLast) implements ByReceipt {
    public Reply {
      requireNonNull(mailbox);
      requireNonNull(receipt);
      requireNonNull(body);
    }
  }

  /**
   * Puts dead letters back, each into its old place, to be delivered as if for the first time; but not those that cannot be
   * read, which would be dead letters again.
   *
   * @param ids which, all of them or none; empty for as many as there are
   */
  record Revive(MailboxName mailbox, Set<MessageId> ids) implements MailboxCommand {
    public static final int MAX_IDS = 1000;

    public Revive {
      requireNonNull(mailbox);
      ids = Collections.unmodifiableSet(new LinkedHashSet<>(ids));
      require(ids.size() <= MAX_IDS, ids.size() + " dead letters are named, and at most " + MAX_IDS
          + " may be; name none to put all of them back");
    }
  }

  /** What a worker complains of may be long; its beginning says enough. */
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

package fleet.tower.mailbox.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.sql.Session;

/** A stored message. Other programs may have written it; {@link #message} detects unreadable content. */
record MessageRow(long sequence, String state, String id, String mailbox, String body, @Nullable String replyTo,
    @Nullable String inReplyTo, Instant enqueuedAt, Instant visibleAt, long deliveryCount, @Nullable String cause,
    @Nullable String lastError, @Nullable Instant firstReceivedAt, @Nullable Instant deadAt) {

  /** Reads {@link MessageStatements#COLUMNS}. */
  static MessageRow read(ResultSet row) throws SQLException {
    return new MessageRow(row.getLong(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5),
        row.getString(6), row.getString(7), Instant.ofEpochMilli(row.getLong(8)), Instant.ofEpochMilli(row.getLong(9)),
        row.getLong(10), row.getString(11), row.getString(12), Session.moment(row, 13), Session.moment(row, 14));
  }

  boolean isDead() {
    return state.equals("dead");
  }

  /** @throws InvalidValue if the row is not a readable message */
  Message message() {
    return new Message(new MessageId(id), new MailboxName(mailbox), new MessageBody(body),
        replyTo == null ? null : new MailboxName(replyTo), inReplyTo == null ? null : new MessageId(inReplyTo),
        enqueuedAt);
  }

  Message.Delivery delivery(RequestId delivery, long deadlineNanos) {
    Message message = message();
    return new Message.Delivery(message, new Receipt(message.id(), delivery), deliveryCount, visibleAt, deadlineNanos);
  }

  /** The row of a message that turned out to be unreadable right after it was leased. */
  MessageRow unreadableAt(Instant at) {
    return new MessageRow(sequence, "dead", id, mailbox, body, replyTo, inReplyTo, enqueuedAt, visibleAt,
        deliveryCount - 1,
        Message.Cause.UNREADABLE.toString(), lastError, deliveryCount == 1 ? null : firstReceivedAt, at);
  }

  Message.DeadLetter deadLetter() {
    MessageId known = RequestId.isValid(id) ? new MessageId(id) : new MessageId("unreadable-" + sequence);
    return new Message.DeadLetter(known, new MailboxName(mailbox), body, nameOrNull(replyTo), deliveryCount,
        knownCause(),
        restored(lastError), enqueuedAt, firstReceivedAt, deadAt == null ? enqueuedAt : deadAt);
  }

  private Message.Cause knownCause() {
    for (Message.Cause known : Message.Cause.values()) {
      if (known.toString().equals(cause)) {
        return known;
      }
    }
    return Message.Cause.UNREADABLE;
  }

  private static @Nullable MailboxName nameOrNull(@Nullable String name) {
    try {
      return name == null ? null : new MailboxName(name);
    } catch (InvalidValue writtenByHand) {
      return null;
    }
  }

  /** A text in the form of a column, so that every database accepts every string. */
  static @Nullable String stored(@Nullable String text) {
    return text == null ? null : MessageBody.text(text).json();
  }

  private static @Nullable String restored(@Nullable String stored) {
    try {
      return stored == null ? null : new MessageBody(stored).text().orElse(stored);
    } catch (InvalidValue writtenByHand) {
      return stored;
    }
  }
}

package fleet.tower.mailbox.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxOutcome.Reason;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.Receipt;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;

/** A worker's changes of one leased message, within a transaction, including why its receipt is no longer valid. */
final class MessageChanges {
  private final Session session;
  private final DatabaseClock clock;
  private final MailboxName mailbox;
  private final Receipt receipt;

  MessageChanges(Session session, DatabaseClock clock, MailboxCommand.ByReceipt command) {
    this.session = session;
    this.clock = clock;
    this.mailbox = command.mailbox();
    this.receipt = command.receipt();
  }

  /** The state of a message, for a worker that wants to change it. */
  private record Held(String state, @Nullable String receipt, @Nullable String replyTo, long remainingMillis,
      long maxMillis, Instant at, Instant visibleAt) {
    static Held read(ResultSet row) throws SQLException {
      return new Held(row.getString(1), row.getString(2), row.getString(3), row.getLong(4), row.getLong(5),
          Instant.ofEpochMilli(row.getLong(6)), Instant.ofEpochMilli(row.getLong(7)));
    }
  }

  private String id() {
    return receipt.message().value();
  }

  private NamedValues values() {
    return clock.values().put("id", id()).put("mailbox", mailbox.value());
  }

  /** The message, locked until the transaction ends; empty if it does not exist. */
  private Optional<Held> lock() throws SQLException {
    return session.first(MessageStatements.HOLD, Held::read, values());
  }

  /** Why the receipt is not valid; empty if it is. */
  private Optional<Reason> reason(Optional<Held> seen) {
    if (seen.isEmpty()) {
      return Optional.of(Reason.GONE);
    }
    Held held = seen.get();
    if (held.state().equals("dead")) {
      return Optional.of(Reason.DEAD);
    }
    if (!receipt.delivery().value().equals(held.receipt())) {
      return Optional.of(Reason.PASSED_ON);
    }
    return held.state().equals("leased") && held.remainingMillis() > 0
        ? Optional.empty()
        : Optional.of(Reason.EXPIRED);
  }

  private MailboxOutcome.OldReceipt old(Reason reason) {
    return new MailboxOutcome.OldReceipt(receipt, reason);
  }

  /** Acknowledges first; determines the reason only if that fails. */
  MailboxOutcome.OfAck ack() throws SQLException {
    boolean isAcked = session.update(MessageStatements.ACK, values().put("receipt", receipt.delivery().value())) == 1;
    return isAcked ? new MailboxOutcome.Acked(receipt.message()) : old(reason(lock()).orElse(Reason.EXPIRED));
  }

  MailboxOutcome.OfNack nack(MailboxCommand.Nack command) throws SQLException {
    Optional<Reason> reason = reason(lock());
    if (reason.isPresent()) {
      return old(reason.get());
    }
    long delay = command.delay().seconds() * 1000;
    String state = delay == 0 ? "ready" : "delayed";
    Instant visibleAt = session.first(MessageStatements.RETURN, row -> Instant.ofEpochMilli(row.getLong(1)),
        values().put("state", state).put("error", MessageRow.stored(command.error())).put("delay_millis", delay))
        .orElseThrow(this::vanished);
    MailboxAnnouncements.announce(session, mailbox.value());
    return new MailboxOutcome.Returned(receipt.message(), visibleAt);
  }

  MailboxOutcome.OfReject reject(MailboxCommand.Reject command) throws SQLException {
    Optional<Reason> reason = reason(lock());
    if (reason.isPresent()) {
      return old(reason.get());
    }
    Message.DeadLetter letter = session
        .first(MessageStatements.REJECT, MessageRow::read, MessageRow.stored(command.error()), id())
        .orElseThrow(this::vanished).deadLetter();
    return new MailboxOutcome.Rejected(letter);
  }

  MailboxOutcome.OfExtend extend(MailboxCommand.Extend command) throws SQLException {
    Optional<Held> seen = lock();
    Optional<Reason> reason = reason(seen);
    if (reason.isPresent()) {
      return old(reason.get());
    }
    Held held = seen.orElseThrow(this::vanished);
    long longer = Math.min(command.by().seconds() * 1000, held.maxMillis());
    if (longer <= held.remainingMillis()) {
      return new MailboxOutcome.Extended(receipt.message(), held.at(), held.visibleAt());
    }
    return session.first(MessageStatements.EXTEND, this::extended,
        values().put("millis", longer).put("max_millis", held.maxMillis())).orElseThrow(this::vanished);
  }

  private MailboxOutcome.Extended extended(ResultSet row) throws SQLException {
    return new MailboxOutcome.Extended(receipt.message(), Instant.ofEpochMilli(row.getLong(1)),
        Instant.ofEpochMilli(row.getLong(2)));
  }

  MailboxOutcome.OfReply reply(MailboxCommand.Reply command, MessageId fresh, Capacity capacity) throws SQLException {
    Optional<Held> seen = lock();
    Optional<Reason> reason = reason(seen);
    if (reason.isPresent()) {
      return old(reason.get());
    }
    String replyTo = seen.orElseThrow(this::vanished).replyTo();
    if (replyTo == null) {
      return new MailboxOutcome.NoReplyAddress(receipt.message());
    }
    Optional<MailboxOutcome.Full> full = capacity.refusal(session, new MailboxName(replyTo), command.body());
    if (full.isPresent()) {
      return full.get();
    }
    Instant at = session
        .first(MessageStatements.SEND, row -> Instant.ofEpochMilli(row.getLong(1)),
            new NamedValues().put("id", fresh.value()).put("mailbox", replyTo).put("body", command.body().json())
                .put("reply_to", null).put("in_reply_to", id()).put("audience", null))
        .orElseThrow(() -> new IllegalStateException("the generated id " + fresh + " is in use"));
    MailboxAnnouncements.announce(session, replyTo);
    if (command.isLast()) {
      session.update(MessageStatements.DELETE, id());
    }
    return new MailboxOutcome.Replied(
        new Message(fresh, new MailboxName(replyTo), command.body(), null, receipt.message(), at), command.isLast());
  }

  private IllegalStateException vanished() {
    return new IllegalStateException("message " + id() + " disappeared while it was locked");
  }
}

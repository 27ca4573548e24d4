package fleet.tower.mailbox.sql;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.Message;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;

/** One receive, within its transaction. */
final class MessageReceives {
  private static final int MAX_TRIES = 3;

  private final Session session;
  private final DatabaseClock clock;
  private final MailboxCommand.Receive command;
  private final RequestId delivery;
  private final long deadlineNanos;
  private final List<Message.Delivery> leased = new ArrayList<>();
  private final List<Message.DeadLetter> buried = new ArrayList<>();

  MessageReceives(Session session, DatabaseClock clock, MailboxCommand.Receive command, RequestId delivery,
      long stampNanos) {
    this.session = session;
    this.clock = clock;
    this.command = command;
    this.delivery = delivery;
    this.deadlineNanos = stampNanos + command.visibility().seconds() * 1_000_000_000L;
  }

  /**
   * Makes due messages ready, then takes ready ones from the front.
   *
   * @param isOfOneHost whether leases may have been measured by several boot clocks
   */
  MailboxOutcome.Received lease(boolean isOfOneHost) throws SQLException {
    showDue(command.mailbox(), isOfOneHost);
    int tries = 0;
    while (leased.size() < command.maxMessages()) {
      List<MessageRow> taken = take(command.maxMessages() - leased.size());
      if (taken.isEmpty() && (isOfOneHost || !leased.isEmpty() || ++tries == MAX_TRIES || !isAnyReady())) {
        break;
      }
      sort(taken);
    }
    return new MailboxOutcome.Received(leased, buried);
  }

  private void showDue(MailboxName mailbox, boolean isOfOneHost) throws SQLException {
    NamedValues values = clock.values().put("mailbox", mailbox.value());
    session.update(MessageStatements.SHOW_DUE, values);
    if (isOfOneHost) {
      session.update(MessageStatements.SHOW_DUE_ELSEWHERE, values);
    }
  }

  /** Whether messages were sent while others took all that this transaction could see. */
  private boolean isAnyReady() throws SQLException {
    MailboxCommand.Selection selection = command.selection();
    return selection == null
        ? session.first(MessageStatements.ANY_READY, row -> true, command.mailbox().value()).isPresent()
        : firstOf(session, command.mailbox().value(), selection).isPresent();
  }

  /** The place of the first message of a mailbox that a receiver can process. */
  static Optional<Long> firstOf(Session session, String mailbox, MailboxCommand.Selection selection)
      throws SQLException {
    return session.first(MessageStatements.FIRST_SELECTED, row -> row.getLong(1),
        selected(new NamedValues().put("mailbox", mailbox), selection));
  }

  private static NamedValues selected(NamedValues values, MailboxCommand.Selection selection) {
    return values.put("all", selection.all() ? 1 : 0).put("audiences", selection.text());
  }

  private List<MessageRow> take(int most) throws SQLException {
    NamedValues values = clock.values().put("mailbox", command.mailbox().value()).put("messages", most)
        .put("max_deliveries", command.maxDeliveries()).put("receipt", delivery.value())
        .put("receiver", command.receiver())
        .put("visible_millis", command.visibility().seconds() * 1000);
    MailboxCommand.Selection selection = command.selection();
    return selection == null
        ? session.query(MessageStatements.TAKE, MessageRow::read, values)
        : session.query(MessageStatements.TAKE_SELECTED, MessageRow::read, selected(values, selection));
  }

  /** The rows of a change come in any order. */
  private void sort(List<MessageRow> taken) throws SQLException {
    for (MessageRow row : taken.stream().sorted(Comparator.comparingLong(MessageRow::sequence)).toList()) {
      sort(row);
    }
  }

  private void sort(MessageRow row) throws SQLException {
    if (row.isDead()) {
      buried.add(row.deadLetter());
      return;
    }
    try {
      leased.add(row.delivery(delivery, deadlineNanos));
    } catch (InvalidValue unreadable) {
      Instant at = session
          .first(MessageStatements.BURY_UNREADABLE, it -> Instant.ofEpochMilli(it.getLong(1)), row.sequence())
          .orElseThrow(() -> new IllegalStateException(
              "message " + row.sequence() + " disappeared while it was locked"));
      buried.add(row.unreadableAt(at).deadLetter());
    }
  }
}

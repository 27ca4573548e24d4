package fleet.tower.mailbox.sql;

import java.util.List;

import fleet.tower.mailbox.Visibility;

/**
 * The statements on the table of messages. The precondition of each change is in its WHERE clause, measured by the
 * {@link DatabaseClock}, whose values are {@code :clock} and {@code :clock_millis}.
 */
final class MessageStatements {
  private MessageStatements() {}

  /** A message is offered again twelve hours after its delivery, however often its lease was extended. */
  private static final long MOST_MILLIS = Visibility.MAX_SECONDS * 1000;

  /** Now by the applicable clock. */
  private static final String HERE = "CASE WHEN CAST(:clock AS VARCHAR(64)) = '' THEN {{now}}"
      + " ELSE CAST(:clock_millis AS BIGINT) END";

  /** The time until a lease or delay ends. */
  private static final String REMAINING = "CASE WHEN clock = :clock THEN due - " + HERE
      + " ELSE visible_at - {{now}} END";

  private static final String HIDDEN = "state IN ('leased', 'delayed')";

  static final String COLUMNS = """
      sequence, state, id, mailbox, body, reply_to, in_reply_to, enqueued_at, visible_at, delivery_count, \
      cause, last_error, first_received_at, dead_at""";

  static final String SEND = """
      INSERT INTO mailbox_messages (id, mailbox, state, body, reply_to, in_reply_to, audience, enqueued_at, visible_at) \
      VALUES (:id, :mailbox, 'ready', :body, :reply_to, :in_reply_to, :audience, {{now}}, {{now}}) \
      ON CONFLICT (id) DO NOTHING RETURNING enqueued_at""";

  static final String FIND = "SELECT " + COLUMNS + " FROM mailbox_messages WHERE id = ?";

  private static final String SIZE = "COUNT(*), COALESCE(SUM(OCTET_LENGTH(body)), 0)";

  /** What each mailbox has. Scans all rows, but does not read large bodies. */
  static final String SIZES = "SELECT mailbox, " + SIZE + " FROM mailbox_messages GROUP BY mailbox";

  /**
   * What was sent to a mailbox after a place, and is still there: the number of messages, their bytes, the last place.
   */
  static final String CONTENTS = "SELECT " + SIZE + ", COALESCE(MAX(sequence), 0)"
      + " FROM mailbox_messages WHERE mailbox = ? AND sequence > ?";

  /** The message at a place. */
  static final String AT = "SELECT id FROM mailbox_messages WHERE sequence = ?";

  /** Lets a transaction of a fleet send to a mailbox alone, or beside others that do not need that. */
  static final String SEND_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))";
  static final String SEND_BESIDE = "SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0))";

  /** Counts up to a limit. */
  static final String COUNT_TO = """
      SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM mailbox_messages WHERE mailbox = :mailbox AND state = 'ready' \
      LIMIT :limit) a) + (SELECT COUNT(*) FROM (SELECT 1 FROM mailbox_messages WHERE mailbox = :mailbox \
      AND state IN ('leased', 'delayed') LIMIT :limit) b)""";

  private static final String SHOW = "UPDATE mailbox_messages SET state = 'ready' WHERE sequence IN"
      + " (SELECT sequence FROM mailbox_messages WHERE mailbox = :mailbox AND " + HIDDEN + " AND ";

  /** A batch limit, so that no receive delays the others; later receives do the rest. */
  private static final String SOME = " LIMIT 1000{{lock_free}})";

  /** Makes messages ready that are due by this clock. */
  static final String SHOW_DUE = SHOW + "clock = :clock AND due <= " + HERE + " ORDER BY due" + SOME;

  /** The same for messages measured by another clock. */
  static final String SHOW_DUE_ELSEWHERE = SHOW + "(clock < :clock OR clock > :clock) AND visible_at <= {{now}}" + SOME;

  /** Leases the first messages, and buries those without a delivery left. */
  static final String TAKE = "WITH next (place, worn) AS MATERIALIZED (SELECT sequence,"
      + " CASE WHEN delivery_count >= :max_deliveries THEN 1 ELSE 0 END FROM mailbox_messages"
      + " WHERE mailbox = :mailbox AND state = 'ready' ORDER BY sequence LIMIT :messages{{lock_free}})"
      + " UPDATE mailbox_messages SET state = CASE worn WHEN 1 THEN 'dead' ELSE 'leased' END,"
      + " cause = CASE worn WHEN 1 THEN 'too_many_deliveries' END, dead_at = CASE worn WHEN 1 THEN {{now}} END,"
      + " delivery_count = delivery_count + 1 - worn, receipt = :receipt, receiver = :receiver,"
      + " leased_at = {{now}},"
      + " first_received_at = COALESCE(first_received_at, {{now}}), visible_at = {{now}} + :visible_millis,"
      + " clock = :clock, due = " + HERE + " + :visible_millis, due_at_most = " + HERE + " + " + MOST_MILLIS
      + " FROM next WHERE sequence = place RETURNING "
      + COLUMNS;

  /**
   * Whether a receiver can process a message. {@code :all} is 1 for messages without an audience; {@code :audiences} is
   * one text, with each audience between blanks.
   */
  private static final String SELECTED = " AND (audience IS NULL AND :all = 1"
      + " OR CAST(:audiences AS TEXT) LIKE '% ' || audience || ' %')";

  /** {@link #TAKE} of what a receiver can process. */
  static final String TAKE_SELECTED = TAKE.replace("state = 'ready' ORDER", "state = 'ready'" + SELECTED + " ORDER");

  /** Buries a message that was leased in this transaction and is unreadable, without counting the delivery. */
  static final String BURY_UNREADABLE = """
      UPDATE mailbox_messages SET state = 'dead', cause = 'unreadable', receipt = NULL, dead_at = {{now}}, \
      delivery_count = delivery_count - 1 WHERE sequence = ? RETURNING dead_at""";

  /**
   * Only a leased message has a receipt and time left. There is no condition on the state, because a database without
   * statistics might then scan all leased messages.
   */
  static final String ACK = "DELETE FROM mailbox_messages WHERE id = :id AND mailbox = :mailbox"
      + " AND receipt = :receipt AND " + REMAINING + " > 0";

  /** Locks a message for a change by its worker, with the remaining time of its lease and its maximum. */
  static final String HOLD = "SELECT state, receipt, reply_to, " + REMAINING
      + ", CASE WHEN clock = :clock THEN due_at_most - "
      + HERE + " ELSE leased_at + " + MOST_MILLIS + " - {{now}} END, {{now}}, visible_at"
      + " FROM mailbox_messages WHERE id = :id AND mailbox = :mailbox{{lock}}";

  static final String EXTEND = "UPDATE mailbox_messages SET visible_at = {{now}} + :millis, clock = :clock, due = "
      + HERE + " + :millis, due_at_most = " + HERE + " + :max_millis WHERE id = :id RETURNING {{now}}, visible_at";

  static final String RETURN = "UPDATE mailbox_messages SET state = :state, receipt = NULL,"
      + " last_error = COALESCE(:error, last_error), visible_at = {{now}} + :delay_millis, clock = :clock, due = "
      + HERE + " + :delay_millis WHERE id = :id RETURNING visible_at";

  /** Returns what a receiver has, as the end of its leases would. */
  static final String GIVE_BACK = "UPDATE mailbox_messages SET state = 'ready', receipt = NULL, visible_at = {{now}},"
      + " clock = :clock, due = " + HERE + " WHERE state = 'leased' AND receiver = :receiver AND " + REMAINING
      + " > 0 RETURNING id, mailbox";

  static final String REJECT = "UPDATE mailbox_messages SET state = 'dead', cause = 'rejected', receipt = NULL,"
      + " last_error = ?, dead_at = {{now}} WHERE id = ? RETURNING " + COLUMNS;

  static final String DELETE = "DELETE FROM mailbox_messages WHERE id = ?";

  /** The order keeps a database that expects every other message to be ready from scanning all others. */
  static final String ANY_READY = "SELECT 1 FROM mailbox_messages WHERE mailbox = ? AND state = 'ready'"
      + " ORDER BY sequence LIMIT 1";

  /** The place of the first message that a receiver can process. */
  static final String FIRST_SELECTED = "SELECT sequence FROM mailbox_messages WHERE mailbox = :mailbox AND state = 'ready'"
      + SELECTED + " ORDER BY sequence LIMIT 1";

  static final String AUDIENCES = "SELECT DISTINCT audience FROM mailbox_messages WHERE mailbox = ? AND state = 'ready'"
      + " AND audience IS NOT NULL";

  static final String NEXT_DUE = "SELECT MIN(due) - " + HERE + " FROM mailbox_messages WHERE mailbox = :mailbox AND "
      + HIDDEN + " AND clock = :clock";

  static final String NEXT_DUE_ELSEWHERE = "SELECT MIN(visible_at) - {{now}} FROM mailbox_messages"
      + " WHERE mailbox = :mailbox AND " + HIDDEN + " AND (clock < :clock OR clock > :clock)";

  private static final String OF_ONE = " AND mailbox = :mailbox";
  private static final String BY_MAILBOX = " GROUP BY mailbox";
  private static final String COUNT_READY = "SELECT mailbox, COUNT(*) FROM mailbox_messages WHERE state = 'ready'";
  private static final String COUNT_DEAD = "SELECT mailbox, COUNT(*) FROM mailbox_messages WHERE state = 'dead'";

  /** Counts due messages as ready. */
  private static final String COUNT_HIDDEN = "SELECT mailbox, CASE WHEN " + REMAINING
      + " <= 0 THEN 'ready' ELSE state END, COUNT(*) FROM mailbox_messages WHERE " + HIDDEN;

  /** The number of messages, of one mailbox or of all. */
  enum Counting {
    READY(COUNT_READY, BY_MAILBOX), HIDDEN(COUNT_HIDDEN, BY_MAILBOX + ", 2"), DEAD(COUNT_DEAD, BY_MAILBOX);

    private final String all;
    private final String ofOne;

    Counting(String select, String grouping) {
      all = select + grouping;
      ofOne = select + OF_ONE + grouping;
    }

    String all() {
      return all;
    }

    String ofOne() {
      return ofOne;
    }
  }

  static final String DEAD_LETTERS = "SELECT " + COLUMNS + " FROM mailbox_messages";

  private static final String REVIVE = "UPDATE mailbox_messages SET state = 'ready', cause = NULL, dead_at = NULL,"
      + " receipt = NULL, delivery_count = 0, visible_at = {{now}} WHERE ";
  private static final String DELIVERABLE = "mailbox = ? AND state = 'dead' AND cause <> 'unreadable'";

  /** Locks a dead letter until it is revived. Parameters: the id, the mailbox. */
  static final String HOLD_DEAD = "SELECT 1 FROM mailbox_messages WHERE id = ? AND " + DELIVERABLE + "{{lock}}";

  static final String REVIVE_ONE = REVIVE + "id = ?";

  /** Parameters: the mailbox, the last death, the batch size. */
  static final String REVIVE_SOME = REVIVE + "sequence IN (SELECT sequence FROM mailbox_messages WHERE " + DELIVERABLE
      + " AND dead_at <= ? LIMIT ?{{lock_free}})";

  static final String LAST_DEATH = "SELECT MAX(dead_at) FROM mailbox_messages WHERE mailbox = ? AND state = 'dead'";

  /**
   * What each mailbox has, and its number of dead letters and of messages available for a day, by the wall clock. Scans
   * all rows; used rarely.
   */
  static final String EXAMINED = "SELECT mailbox, " + SIZE + ", SUM(CASE state WHEN 'dead' THEN 1 ELSE 0 END) AS dead,"
      + " SUM(CASE WHEN state <> 'dead' AND visible_at <= {{now}} - 86400000 THEN 1 ELSE 0 END) AS waiting"
      + " FROM mailbox_messages GROUP BY mailbox ORDER BY mailbox";

  static final String LAST = "SELECT MAX(sequence) FROM mailbox_messages";

  private static final String PURGE = "DELETE FROM mailbox_messages WHERE sequence IN"
      + " (SELECT sequence FROM mailbox_messages WHERE mailbox = ? AND sequence <= ? AND ";

  /** Deletes messages sent up to a moment. Parameters: the mailbox, the last sequence, the batch size. */
  static final List<String> PURGE_MESSAGES = List.of(PURGE + "state = 'ready' LIMIT ?)", PURGE + HIDDEN + " LIMIT ?)");

  /** Skips dead letters that another transaction is reviving. */
  static final List<String> PURGE_DEAD = List.of(PURGE + "state = 'dead' LIMIT ?{{lock_free}})");
}

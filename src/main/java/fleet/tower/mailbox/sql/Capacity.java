package fleet.tower.mailbox.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome.Full;
import fleet.tower.mailbox.MailboxStore.Bounds;
import fleet.tower.mailbox.MessageBody;
import fleet.tower.platform.sql.Session;

/**
 * Decides, within the transaction of a send, whether a mailbox has room for one more message.
 *
 * <p>A mailbox that has thousands of messages is not counted for each of them. What it had when it was last counted,
 * and what was sent since, is at least what it has now, because messages only leave. It is counted again after a number
 * of messages, before a refusal, and when the message that was its newest has left: until then SQLite does not give its
 * place, or an earlier one, to another. Such a message leaves after all those before it, so a mailbox is counted about
 * once for as many messages as it has.
 *
 * <p>Writers of a database of one host take turns. In a fleet those that send to one mailbox take turns only near its
 * bounds, and let those finish that looked before: these found room for all that may be sent between a look and a turn.
 */
final class Capacity {
  /** The number of messages after which a mailbox is counted again. */
  private static final long UNTIL_COUNTED = 256;
  /** The maximum number of messages that a fleet sends to one mailbox between a sender's look and its turn. */
  private static final long MEANWHILE = 256;
  private static final int MAILBOXES = 1000;

  private final Bounds bounds;
  private final boolean takesTurns;
  /** What was counted, by mailbox; guarded by itself. */
  private final Map<String, Count> counts = new LinkedHashMap<>(16, 0.75F, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Count> eldest) {
      return size() > MAILBOXES;
    }
  };

  /** @param takesTurns whether only one transaction at a time writes to the database */
  Capacity(Bounds bounds, boolean takesTurns) {
    this.bounds = bounds;
    this.takesTurns = takesTurns;
  }

  /** Messages, dead letters included, and the bytes of their bodies; up to a place in the order of sending. */
  private record Contents(long messages, long bytes, long last) {
    static Contents read(ResultSet row) throws SQLException {
      return new Contents(row.getLong(1), row.getLong(2), row.getLong(3));
    }

    Contents with(Contents later) {
      return new Contents(messages + later.messages, bytes + later.bytes, Math.max(last, later.last));
    }
  }

  /**
   * @param newest the id of the message at the last place
   *
   * @param inTurn whether no other send to the mailbox was under way
   */
  private record Count(Contents contents, String newest, boolean inTurn) {}

  /** Why the mailbox has no room for a message; empty if it has. */
  Optional<Full> refusal(Session session, MailboxName mailbox, MessageBody body) throws SQLException {
    if (bounds.equals(Bounds.NONE)) {
      return Optional.empty();
    }
    Contents known = known(session, mailbox.value());
    if (takesTurns) {
      return refusalInTurn(session, mailbox, body, known);
    }
    if (isNear(known)) {
      session.query(MessageStatements.SEND_ALONE, row -> true, mailbox.value());
      return refusalInTurn(session, mailbox, body, knownInTurn(session, mailbox.value()));
    }
    session.query(MessageStatements.SEND_BESIDE, row -> true, mailbox.value());
    return Optional.empty();
  }

  private Optional<Full> refusalInTurn(Session session, MailboxName mailbox, MessageBody body, Contents known)
      throws SQLException {
    return refusal(mailbox, known, body).isEmpty()
        ? Optional.empty()
        : refusal(mailbox, count(session, mailbox.value(), true), body);
  }

  private Optional<Full> refusal(MailboxName mailbox, Contents contents, MessageBody body) {
    if (contents.messages >= bounds.messages()) {
      return Optional.of(new Full(mailbox, Full.Bound.MESSAGES, bounds.messages()));
    }
    return contents.bytes + body.bytes() > bounds.bytes()
        ? Optional.of(new Full(mailbox, Full.Bound.BYTES, bounds.bytes()))
        : Optional.empty();
  }

  private boolean isNear(Contents contents) {
    return bounds.messages() - contents.messages <= MEANWHILE
        || bounds.bytes() - contents.bytes <= MEANWHILE * MessageBody.MAX_BYTES;
  }

  /** At least what the mailbox has, but for sends under way. */
  private Contents known(Session session, String mailbox) throws SQLException {
    Count last = last(mailbox);
    if (last != null && isThere(session, last)) {
      Contents since = since(session, mailbox, last.contents.last);
      if (since.messages < UNTIL_COUNTED) {
        return last.contents.with(since);
      }
    }
    return count(session, mailbox, takesTurns);
  }

  private Contents knownInTurn(Session session, String mailbox) throws SQLException {
    Count last = last(mailbox);
    return last != null && last.inTurn ? known(session, mailbox) : count(session, mailbox, true);
  }

  private @Nullable Count last(String mailbox) {
    synchronized (counts) {
      return counts.get(mailbox);
    }
  }

  private Contents count(Session session, String mailbox, boolean inTurn) throws SQLException {
    Contents all = since(session, mailbox, 0);
    Optional<String> newest = newest(session, all);
    synchronized (counts) {
      counts.remove(mailbox);
      newest.ifPresent(id -> counts.put(mailbox, new Count(all, id, inTurn)));
    }
    return all;
  }

  /** Only SQLite gives places again. */
  private boolean isThere(Session session, Count last) throws SQLException {
    return !takesTurns || newest(session, last.contents).filter(last.newest::equals).isPresent();
  }

  private static Optional<String> newest(Session session, Contents contents) throws SQLException {
    return session.first(MessageStatements.AT, row -> row.getString(1), contents.last);
  }

  private static Contents since(Session session, String mailbox, long place) throws SQLException {
    return session.query(MessageStatements.CONTENTS, Contents::read, mailbox, place).getFirst();
  }
}

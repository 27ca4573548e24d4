package fleet.tower.mailbox.sql;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.MailboxName;
import fleet.tower.mailbox.MailboxOutcome;
import fleet.tower.mailbox.MailboxStore;
import fleet.tower.mailbox.MailboxStore.Bounds;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.MessageId;
import fleet.tower.mailbox.sql.MessageStatements.Counting;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.PagedQuery;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.TimeSource;

/**
 * A mailbox store with one row per message. One index has the ready messages in order of sending, another the hidden
 * ones by the time when they become ready; a receive reads the front of both, however many messages there are.
 */
final class SqlMailboxStore implements MailboxStore {
  /** Each retry means that another process acknowledged the conflicting message meanwhile. */
  private static final int MAX_TRIES = 10;
  private static final int BATCH = 5000;
  /** Each dead letter may have half a megabyte. */
  private static final int DEAD_LETTER_BATCH = 8;

  private final Database database;
  private final TimeSource time;
  private final Capacity capacity;
  private final DiskReserve reserve;

  SqlMailboxStore(Database database, TimeSource time, Bounds bounds, DiskReserve reserve) {
    this.database = database;
    this.time = time;
    this.reserve = reserve;
    this.capacity = new Capacity(bounds, database.isOfOneHost());
  }

  private DatabaseClock clock() {
    return DatabaseClock.of(database, time);
  }

  @Override
  public MailboxOutcome.OfSend send(MailboxCommand.Send command, MessageId fresh) {
    reserve.require();
    return database.writeDurably(session -> send(session, command, fresh));
  }

  private MailboxOutcome.OfSend send(Session session, MailboxCommand.Send command, MessageId id) throws SQLException {
    for (int tries = 0; tries < MAX_TRIES; tries++) {
      Optional<MessageRow> other = command.id() == null
          ? Optional.empty()
          : session.first(MessageStatements.FIND, MessageRow::read, id.value());
      if (other.isPresent()) {
        return compared(command, other.get());
      }
      if (command.limit().isPresent() && isFull(session, command.mailbox(), command.limit().getAsInt())) {
        return new MailboxOutcome.Full(command.mailbox(), MailboxOutcome.Full.Bound.LIMIT, command.limit().getAsInt());
      }
      Optional<MailboxOutcome.Full> full = capacity.refusal(session, command.mailbox(), command.body());
      if (full.isPresent()) {
        return full.get();
      }
      MailboxName replyTo = command.replyTo();
      Optional<Instant> at = session.first(MessageStatements.SEND, row -> Instant.ofEpochMilli(row.getLong(1)),
          new NamedValues().put("id", id.value()).put("mailbox", command.mailbox().value())
              .put("body", command.body().json()).put("reply_to", replyTo == null ? null : replyTo.value())
              .put("in_reply_to", null).put("audience", command.audience()));
      if (at.isPresent()) {
        MailboxAnnouncements.announce(session, command.mailbox().value());
        return new MailboxOutcome.Sent(
            new Message(id, command.mailbox(), command.body(), replyTo, null, at.get()), false);
      }
    }
    throw new StorageException("message " + id + " was not sent: other clients keep sending and receiving it; find the"
        + " clients that use this id");
  }

  /** The outcome of sending an id that exists: a repetition, if the messages are equal. */
  private static MailboxOutcome.OfSend compared(MailboxCommand.Send command, MessageRow other) {
    MessageId id = new MessageId(other.id());
    try {
      Message message = other.message();
      boolean isSame = message.mailbox().equals(command.mailbox()) && message.body().equals(command.body())
          && Objects.equals(message.replyTo(), command.replyTo()) && message.inReplyTo() == null;
      return isSame ? new MailboxOutcome.Sent(message, true) : new MailboxOutcome.IdTaken(id);
    } catch (InvalidValue unreadable) {
      return new MailboxOutcome.IdTaken(id);
    }
  }

  private static boolean isFull(Session session, MailboxName mailbox, int limit) throws SQLException {
    return session
        .query(MessageStatements.COUNT_TO, row -> row.getLong(1),
            new NamedValues().put("mailbox", mailbox.value()).put("limit", limit))
        .getFirst() >= limit;
  }

  @Override
  public MailboxOutcome.Received receive(MailboxCommand.Receive command, RequestId delivery, long stampNanos) {
    return database.writeDurably(session -> new MessageReceives(session, clock(), command, delivery, stampNanos)
        .lease(database.isOfOneHost()));
  }

  @Override
  public MailboxOutcome.OfAck ack(MailboxCommand.Ack command) {
    return database.writeDurably(session -> new MessageChanges(session, clock(), command).ack());
  }

  @Override
  public MailboxOutcome.OfNack nack(MailboxCommand.Nack command) {
    return database.writeDurably(session -> new MessageChanges(session, clock(), command).nack(command));
  }

  @Override
  public MailboxOutcome.OfReject reject(MailboxCommand.Reject command) {
    return database.writeDurably(session -> new MessageChanges(session, clock(), command).reject(command));
  }

  /** Like a lock's heartbeat, this does not wait for the disk: a power failure at worst ends a lease early. */
  @Override
  public MailboxOutcome.OfExtend extend(MailboxCommand.Extend command) {
    return database.writeSwiftly(session -> new MessageChanges(session, clock(), command).extend(command));
  }

  @Override
  public MailboxOutcome.OfReply reply(MailboxCommand.Reply command, MessageId fresh) {
    reserve.require();
    return database
        .writeDurably(session -> new MessageChanges(session, clock(), command).reply(command, fresh, capacity));
  }

  @Override
  public List<GivenBack> giveBack(String receiver) {
    return database.writeDurably(session -> {
      List<GivenBack> returned = session.query(MessageStatements.GIVE_BACK,
          row -> new GivenBack(new MessageId(row.getString(1)), new MailboxName(row.getString(2))),
          clock().values().put("receiver", receiver));
      for (MailboxName mailbox : returned.stream().map(GivenBack::mailbox).distinct().toList()) {
        MailboxAnnouncements.announce(session, mailbox.value());
      }
      return returned;
    });
  }

  @Override
  public Optional<Duration> untilVisible(MailboxName mailbox) {
    return database.read(session -> untilVisible(session, mailbox.value(), null)).flatMap(found -> found);
  }

  @Override
  public Optional<Duration> untilVisible(MailboxCommand.Receive receiver) {
    return database.read(session -> untilVisible(session, receiver.mailbox().value(), receiver.selection()))
        .flatMap(found -> found);
  }

  @Override
  public Set<String> audiences(MailboxName mailbox) {
    return database
        .read(session -> session.query(MessageStatements.AUDIENCES, row -> row.getString(1), mailbox.value()))
        .map(Set::copyOf).orElseGet(Set::of);
  }

  private Optional<Duration> untilVisible(Session session, String mailbox, MailboxCommand.@Nullable Selection selection)
      throws SQLException {
    boolean isAnyReady = selection == null
        ? session.first(MessageStatements.ANY_READY, row -> true, mailbox).isPresent()
        : MessageReceives.firstOf(session, mailbox, selection).isPresent();
    if (isAnyReady) {
      return Optional.of(Duration.ZERO);
    }
    NamedValues values = clock().values().put("mailbox", mailbox);
    Optional<Long> next = soonest(session, MessageStatements.NEXT_DUE, values);
    if (database.isOfOneHost()) {
      Optional<Long> elsewhere = soonest(session, MessageStatements.NEXT_DUE_ELSEWHERE, values);
      next = next.isPresent() && elsewhere.isPresent()
          ? Optional.of(Math.min(next.get(), elsewhere.get()))
          : next.or(() -> elsewhere);
    }
    return next.map(millis -> Duration.ofMillis(Math.max(0, millis)));
  }

  private static Optional<Long> soonest(Session session, String sql, NamedValues values) throws SQLException {
    return session.query(sql, row -> {
      long millis = row.getLong(1);
      return row.wasNull() ? Optional.<Long>empty() : Optional.of(millis);
    }, values).getFirst();
  }

  @Override
  public Count count(MailboxName mailbox) {
    return database.read(session -> {
      Tally tally = new Tally();
      NamedValues values = clock().values().put("mailbox", mailbox.value());
      tally.add("ready", session, Counting.READY.ofOne(), values);
      tally.addByState(session, Counting.HIDDEN.ofOne(), values);
      tally.add("dead", session, Counting.DEAD.ofOne(), values);
      return tally.of(mailbox);
    }).orElseGet(() -> new Tally().of(mailbox));
  }

  @Override
  public List<Count> counts() {
    return database.read(session -> {
      Tally tally = new Tally();
      tally.add("ready", session, Counting.READY.all());
      tally.addByState(session, Counting.HIDDEN.all(), clock().values());
      tally.add("dead", session, Counting.DEAD.all());
      return tally.all();
    }).orElse(List.of());
  }

  @Override
  public List<Size> sizes() {
    return database.read(session -> session.query(MessageStatements.SIZES, SizeRow::read)).orElse(List.of()).stream()
        .flatMap(Optional::stream).toList();
  }

  @Override
  public void dead(MailboxName mailbox, int limit, Predicate<Message.DeadLetter> reader) {
    new PagedQuery(MessageStatements.DEAD_LETTERS, "mailbox_messages",
        List.of("mailbox = :mailbox", "state = 'dead'"), new NamedValues().put("mailbox", mailbox.value()),
        "dead_at, sequence").read(database, limit, DEAD_LETTER_BATCH,
            row -> MessageRow.read(row).deadLetter(), reader);
  }

  @Override
  public long purge(MailboxName mailbox) {
    return purge(mailbox, MessageStatements.PURGE_MESSAGES);
  }

  @Override
  public long purgeDead(MailboxName mailbox) {
    return purge(mailbox, MessageStatements.PURGE_DEAD);
  }

  @Override
  public MailboxOutcome.OfRevive revive(MailboxCommand.Revive command) {
    return command.ids().isEmpty()
        ? new MailboxOutcome.Revived(command.mailbox(), reviveAll(command.mailbox()))
        : reviveNamed(command);
  }

  /**
   * Excludes messages that die meanwhile: they may have been revived just now, and may have killed their worker again.
   */
  private long reviveAll(MailboxName mailbox) {
    long last = database
        .read(session -> session.query(MessageStatements.LAST_DEATH, row -> row.getLong(1), mailbox.value())
            .getFirst())
        .orElse(0L);
    return last == 0 ? 0 : repeatedly(MessageStatements.REVIVE_SOME, mailbox, last, true);
  }

  private MailboxOutcome.OfRevive reviveNamed(MailboxCommand.Revive command) {
    return database.writeDurably(session -> {
      for (MessageId id : command.ids()) {
        if (session.first(MessageStatements.HOLD_DEAD, row -> true, id.value(), command.mailbox().value()).isEmpty()) {
          return new MailboxOutcome.NoDeadLetter(command.mailbox(), id);
        }
      }
      for (MessageId id : command.ids()) {
        session.update(MessageStatements.REVIVE_ONE, id.value());
      }
      MailboxAnnouncements.announce(session, command.mailbox().value());
      return new MailboxOutcome.Revived(command.mailbox(), command.ids().size());
    });
  }

  /** Keeps messages sent meanwhile. Another round deletes messages leased or returned meanwhile. */
  private long purge(MailboxName mailbox, List<String> statements) {
    long last = database.read(session -> session.query(MessageStatements.LAST, row -> row.getLong(1)).getFirst())
        .orElse(0L);
    long purged = 0;
    if (last == 0) {
      return purged;
    }
    long before;
    do {
      before = purged;
      for (String statement : statements) {
        purged += repeatedly(statement, mailbox, last, false);
      }
    } while (purged > before);
    return purged;
  }

  /** Changes a batch at a time, so that others get their turn, until none is left; returns the total. */
  private long repeatedly(String statement, MailboxName mailbox, long last, boolean isAnnounced) {
    long all = 0;
    int some;
    do {
      some = database.writeDurably(session -> {
        int changed = session.update(statement, mailbox.value(), last, BATCH);
        if (isAnnounced && changed > 0) {
          MailboxAnnouncements.announce(session, mailbox.value());
        }
        return changed;
      });
      all += some;
    } while (some > 0);
    return all;
  }

  @Override
  public void close() {
    database.close();
  }
}

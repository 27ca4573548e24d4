package fleet.tower.mailbox;

import static fleet.tower.mailbox.Message.State.DEAD;
import static fleet.tower.mailbox.Message.State.DELAYED;
import static fleet.tower.mailbox.Message.State.GONE;
import static fleet.tower.mailbox.Message.State.LEASED;
import static fleet.tower.mailbox.Message.State.READY;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Every change of a message's state: from which states, to which, and who or what triggers it. */
public enum MessageTransition {
  /** A client appends it to a mailbox. */
  SEND(EnumSet.of(GONE), READY, By.ANY_CLIENT),
  /** It is leased to a worker, with a new receipt. */
  RECEIVE(EnumSet.of(READY), LEASED, By.ANY_CLIENT),
  /** Its worker extends the lease, which never ends earlier than before. */
  EXTEND(EnumSet.of(LEASED), LEASED, By.RECEIPT),
  /** Its worker acknowledges it. */
  ACK(EnumSet.of(LEASED), GONE, By.RECEIPT),
  /** Its worker acknowledges it and sends the reply, atomically. */
  REPLY(EnumSet.of(LEASED), GONE, By.RECEIPT),
  /** Its worker returns it, to be offered at once. */
  NACK(EnumSet.of(LEASED), READY, By.RECEIPT),
  /** Its worker returns it, to be offered later. */
  DELAY(EnumSet.of(LEASED), DELAYED, By.RECEIPT),
  /** Its worker rejects it. */
  REJECT(EnumSet.of(LEASED), DEAD, By.RECEIPT),
  /** Its lease expires. It gets its old place, before all later messages. */
  EXPIRE(EnumSet.of(LEASED), READY, By.TIME),
  /** Its delay ends. It gets its old place. */
  RETURN(EnumSet.of(DELAYED), READY, By.TIME),
  /** It has no delivery left or is unreadable; this is detected when it would be delivered again. */
  BURY(EnumSet.of(READY), DEAD, By.ANY_CLIENT),
  /** Its mailbox is purged; dead letters stay. */
  PURGE(EnumSet.of(READY, LEASED, DELAYED), GONE, By.ANY_CLIENT),
  /** A client revives a dead letter, with no deliveries counted. It gets its old place. */
  REVIVE(EnumSet.of(DEAD), READY, By.ANY_CLIENT),
  /** The dead letters of its mailbox are purged. */
  PURGE_DEAD(EnumSet.of(DEAD), GONE, By.ANY_CLIENT);

  @SuppressWarnings("ImmutableEnumChecker") // a private copy, never modified
  private final Set<Message.State> from;
  private final Message.State to;
  private final By by;

  MessageTransition(Set<Message.State> from, Message.State to, By by) {
    this.from = EnumSet.copyOf(from);
    this.to = to;
    this.by = by;
  }

  /** What triggers a transition. */
  public enum By {
    /** Any client of the mailbox. */
    ANY_CLIENT,
    /** The worker with the delivery's receipt, while its lease runs. */
    RECEIPT,
    /** The store's clock. */
    TIME
  }

  public boolean startsFrom(Message.State state) {
    return from.contains(state);
  }

  public Set<Message.State> from() {
    return EnumSet.copyOf(from);
  }

  public Message.State to() {
    return to;
  }

  public By by() {
    return by;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

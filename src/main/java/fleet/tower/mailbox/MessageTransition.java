package fleet.tower.mailbox;

import static fleet.tower.mailbox.Message.State.DEAD;
import static fleet.tower.mailbox.Message.State.DELAYED;
import static fleet.tower.mailbox.Message.State.GONE;
import static fleet.tower.mailbox.Message.State.LEASED;
import static fleet.tower.mailbox.Message.State.READY;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Every way in which a message changes: from which states, to which, and by whom. There is no other. */
public enum MessageTransition {
  /** It is put at the end of a mailbox. */
  SEND(EnumSet.of(GONE), READY, By.ANYBODY),
  /** It is lent to a worker, with a new receipt. */
  RECEIVE(EnumSet.of(READY), LEASED, By.ANYBODY),
  /** Its worker goes on with it; the lease never ends earlier than it would have. */
  EXTEND(EnumSet.of(LEASED), LEASED, By.RECEIPT),
  /** Its worker is done. */
  ACK(EnumSet.of(LEASED), GONE, By.RECEIPT),
  /** Its worker is done, and the answer is sent, both or neither. */
  REPLY(EnumSet.of(LEASED), GONE, By.RECEIPT),
  /** Its worker gives it back at once. */
  NACK(EnumSet.of(LEASED), READY, By.RECEIPT),
  /** Its worker gives it back for later. */
  DELAY(EnumSet.of(LEASED), DELAYED, By.RECEIPT),
  /** Its worker says that it is no use to try again. */
  REJECT(EnumSet.of(LEASED), DEAD, By.RECEIPT),
  /** Its worker has been silent for too long. It takes its old place, before all that was sent later. */
  EXPIRE(EnumSet.of(LEASED), READY, By.TIME),
  /** Its delay is over. It takes its old place. */
  RETURN(EnumSet.of(DELAYED), READY, By.TIME),
  /** It has been delivered as often as is allowed, or cannot be read: seen when it would be delivered again. */
  BURY(EnumSet.of(READY), DEAD, By.ANYBODY),
  /** A mailbox is emptied; its dead letters stay. */
  PURGE(EnumSet.of(READY, LEASED, DELAYED), GONE, By.ANYBODY),
  /** Somebody puts a dead letter back, to be tried again from the first time on. It takes its old place. */
  REVIVE(EnumSet.of(DEAD), READY, By.ANYBODY),
  /** The dead letters of a mailbox are thrown away. */
  PURGE_DEAD(EnumSet.of(DEAD), GONE, By.ANYBODY);

  @SuppressWarnings("ImmutableEnumChecker") // nobody can change it: it is a copy that is never given away
  private final Set<Message.State> from;
  private final Message.State to;
  private final By by;

  MessageTransition(Set<Message.State> from, Message.State to, By by) {
    this.from = EnumSet.copyOf(from);
    this.to = to;
    this.by = by;
  }

  /** Who brings a transition about. */
  public enum By {
    /** Whoever may use the mailbox. */
    ANYBODY,
    /** The worker with the receipt of the delivery, while its lease runs. */
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

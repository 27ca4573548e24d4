package fleet.tower.mailbox;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.MailboxOutcome.Reason;
import fleet.tower.mailbox.Message.State;

/** A model of mailboxes in memory: the expected outcome of every command, and the transitions that it took. */
final class MailboxModel {
  private static final long MOST_SECONDS = 43_200;

  private final List<Item> items = new ArrayList<>();
  private final Set<MessageTransition> visited = EnumSet.noneOf(MessageTransition.class);
  private long now;

  /** A message as the model has it. */
  private static final class Item {
    final MessageId id;
    final MailboxName mailbox;
    final @Nullable MailboxName replyTo;
    State state = State.GONE;
    long due;
    long most;
    long count;
    @Nullable
    Receipt receipt;

    Item(MessageId id, MailboxName mailbox, @Nullable MailboxName replyTo) {
      this.id = id;
      this.mailbox = mailbox;
      this.replyTo = replyTo;
    }
  }

  /** Which transitions there have been. */
  Set<MessageTransition> visited() {
    return visited;
  }

  private void move(Item item, MessageTransition transition, State to) {
    if (!transition.startsFrom(item.state) || transition.to() != to) {
      throw new AssertionError(transition + " does not lead from " + item.state + " to " + to);
    }
    visited.add(transition);
    item.state = to;
    if (to == State.GONE) {
      items.remove(item);
    }
  }

  void pass(long seconds) {
    now += seconds;
    settle();
  }

  private void settle() {
    for (Item item : items) {
      if (item.due <= now && item.state == State.LEASED) {
        move(item, MessageTransition.EXPIRE, State.READY);
      } else if (item.due <= now && item.state == State.DELAYED) {
        move(item, MessageTransition.RETURN, State.READY);
      }
    }
  }

  void send(MessageId id, MailboxName mailbox, @Nullable MailboxName replyTo) {
    Item item = new Item(id, mailbox, replyTo);
    items.add(item);
    move(item, MessageTransition.SEND, State.READY);
  }

  /** The expected deliveries, as ids and counts, and then the expected dead letters, as ids. */
  String receive(MailboxName mailbox, int most, long visibility, int maxDeliveries) {
    List<String> lent = new ArrayList<>();
    List<String> buried = new ArrayList<>();
    for (Item item : items) {
      if (lent.size() < most && item.mailbox.equals(mailbox) && item.state == State.READY) {
        if (item.count >= maxDeliveries) {
          move(item, MessageTransition.BURY, State.DEAD);
          buried.add(item.id.value());
        } else {
          move(item, MessageTransition.RECEIVE, State.LEASED);
          item.count++;
          item.due = now + visibility;
          item.most = now + MOST_SECONDS;
          lent.add(item.id + " " + item.count);
        }
      }
    }
    return lent + " " + buried;
  }

  /** Adopts the store's new receipts, which must be unique; leases of zero length end then. */
  void hand(List<Message.Delivery> deliveries) {
    for (Message.Delivery delivery : deliveries) {
      find(delivery.receipt().message()).orElseThrow().receipt = delivery.receipt();
    }
    settle();
  }

  private Optional<Item> find(MessageId id) {
    return items.stream().filter(item -> item.id.equals(id)).findFirst();
  }

  /** Why a receipt is worth nothing; nothing where it is good. */
  Optional<Reason> reason(MailboxName mailbox, Receipt receipt) {
    Optional<Item> found = find(receipt.message()).filter(item -> item.mailbox.equals(mailbox));
    if (found.isEmpty()) {
      return Optional.of(Reason.GONE);
    }
    Item item = found.get();
    if (item.state == State.DEAD) {
      return Optional.of(Reason.DEAD);
    }
    if (!receipt.equals(item.receipt)) {
      return Optional.of(Reason.PASSED_ON);
    }
    return item.state == State.LEASED ? Optional.empty() : Optional.of(Reason.EXPIRED);
  }

  void ack(Receipt receipt) {
    move(find(receipt.message()).orElseThrow(), MessageTransition.ACK, State.GONE);
  }

  void nack(Receipt receipt, long delay) {
    Item item = find(receipt.message()).orElseThrow();
    item.receipt = null;
    item.due = now + delay;
    move(item, delay == 0 ? MessageTransition.NACK : MessageTransition.DELAY, delay == 0 ? State.READY : State.DELAYED);
  }

  void reject(Receipt receipt) {
    move(find(receipt.message()).orElseThrow(), MessageTransition.REJECT, State.DEAD);
  }

  /** How much of the lease is left then. */
  long extend(Receipt receipt, long by) {
    Item item = find(receipt.message()).orElseThrow();
    move(item, MessageTransition.EXTEND, State.LEASED);
    item.due = Math.max(item.due, Math.min(now + by, item.most));
    return item.due - now;
  }

  /** Where the answer goes; null where it goes nowhere, and nothing happens. */
  @Nullable
  MailboxName reply(Receipt receipt, MessageId fresh, boolean isLast) {
    Item item = find(receipt.message()).orElseThrow();
    if (item.replyTo != null) {
      send(fresh, item.replyTo, null);
      if (isLast) {
        move(item, MessageTransition.REPLY, State.GONE);
      }
    }
    return item.replyTo;
  }

  /** Those that were never delivered, or not since they were put back. */
  Set<MessageId> fresh() {
    return items.stream().filter(item -> item.count == 0).map(item -> item.id).collect(Collectors.toSet());
  }

  /** How many were put back; -1 where one is not dead, and nothing happens. */
  long revive(MailboxName mailbox, Set<MessageId> ids) {
    List<Item> dead = items.stream().filter(item -> item.mailbox.equals(mailbox) && item.state == State.DEAD)
        .filter(item -> ids.isEmpty() || ids.contains(item.id)).toList();
    if (!ids.isEmpty() && dead.size() < ids.size()) {
      return -1;
    }
    for (Item item : dead) {
      item.receipt = null;
      item.count = 0;
      move(item, MessageTransition.REVIVE, State.READY);
    }
    return dead.size();
  }

  long purge(MailboxName mailbox, boolean dead) {
    List<Item> gone = items.stream().filter(item -> item.mailbox.equals(mailbox) && (item.state == State.DEAD) == dead)
        .toList();
    gone.forEach(item -> move(item, dead ? MessageTransition.PURGE_DEAD : MessageTransition.PURGE, State.GONE));
    return gone.size();
  }

  MailboxStore.Count count(MailboxName mailbox) {
    return new MailboxStore.Count(mailbox, number(mailbox, State.READY), number(mailbox, State.LEASED),
        number(mailbox, State.DELAYED), number(mailbox, State.DEAD));
  }

  private long number(MailboxName mailbox, State state) {
    return items.stream().filter(item -> item.mailbox.equals(mailbox) && item.state == state).count();
  }
}

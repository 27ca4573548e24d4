package fleet.tower.mailbox;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.Actor;
import fleet.tower.lease.LeaseTerm;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.Extendable;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.queue.ArrivalSignals;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.platform.wait.WakeUp;

/**
 * Mailboxes as senders and workers use them. The store decides; whoever waits for a message is woken when one is sent or given
 * back in this process, and looks for what other processes do. Dead letters and purges are told to the audit log.
 */
public final class Mailboxes implements AutoCloseable {
  /** The longest wait that is accepted. */
  public static final Duration MAX_WAIT = Duration.ofHours(1);
  /** How soon a message from another process is seen, unless something else was said. A look reads two ends of an index, and writes nothing. */
  static final Duration BETWEEN_LOOKS = Duration.ofMillis(25);
  private static final Duration SHORTEST_SLEEP = Duration.ofMillis(1);

  private final MailboxStore store;
  private final AuditLog audit;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Supplier<RequestId> newIds;
  private final Duration betweenLooks;
  private final ArrivalSignals<MailboxName> arrivals = new ArrivalSignals<>();
  private final Cancellation closing = new Cancellation();

  /** @param newIds makes ids that nobody else has */
  public Mailboxes(MailboxStore store, AuditLog audit, TimeSource time, Scheduler scheduler,
      Supplier<RequestId> newIds) {
    this(store, audit, time, scheduler, newIds, BETWEEN_LOOKS);
  }

  /** @param betweenLooks how soon a message from another process is seen by who waits for it */
  public Mailboxes(MailboxStore store, AuditLog audit, TimeSource time, Scheduler scheduler,
      Supplier<RequestId> newIds, Duration betweenLooks) {
    this.betweenLooks = requireNonNull(betweenLooks);
    this.store = requireNonNull(store);
    this.audit = requireNonNull(audit);
    this.time = requireNonNull(time);
    this.scheduler = requireNonNull(scheduler);
    this.newIds = requireNonNull(newIds);
  }

  /** Puts a message at the end of a mailbox. */
  public MailboxOutcome.OfSend send(MailboxCommand.Send command) {
    MessageId id = command.id();
    MailboxOutcome.OfSend outcome = store.send(command, id == null ? MessageId.fresh(newIds.get()) : id);
    arrivals.tell(command.mailbox());
    return outcome;
  }

  /** Borrows what is to be had now; perhaps nothing. */
  public MailboxOutcome.Received receive(MailboxCommand.Receive command) {
    long stampNanos = time.nanos();
    MailboxOutcome.Received received = store.receive(command, newIds.get(), stampNanos);
    received.buried().forEach(letter -> tell(letter, null));
    return received;
  }

  /**
   * Borrows what is to be had as soon as there is one message; it does not wait for more. Nothing when the wait is over,
   * cancelled, or ended by {@link #close}.
   */
  public MailboxOutcome.Received receive(MailboxCommand.Receive command, Duration wait, Cancellation cancellation) {
    return receive(command, wait, cancellation, () -> true);
  }

  /**
   * The same for somebody who may go away without a word. Nothing is lent to one who is seen to be gone; what was lent in the
   * moment of going is given back, and has been delivered once more.
   *
   * @param isThere asked often, on the thread that waits
   */
  public MailboxOutcome.Received receive(MailboxCommand.Receive command, Duration wait, Cancellation cancellation,
      BooleanSupplier isThere) {
    if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "a wait of " + wait.toSeconds() + " s is outside 0 to " + MAX_WAIT.toSeconds() + " seconds (1 hour)");
    }
    long end = time.nanos() + wait.toNanos();
    WakeUp bell = new WakeUp();
    try (var _ = cancellation.on(bell::signal);
        var _ = closing.on(bell::signal);
        var waiting = arrivals.join(command.mailbox(), bell)) {
      while (!cancellation.isCancelled() && !closing.isCancelled() && isThere.getAsBoolean()) {
        Duration left = Duration.ofNanos(end - time.nanos());
        boolean isOver = left.compareTo(Duration.ZERO) <= 0;
        Optional<Duration> until = isOver || waiting.isFirst()
            ? store.untilVisible(command.mailbox())
            : Optional.empty();
        if (until.filter(Duration::isZero).isPresent()) {
          MailboxOutcome.Received received = receive(command);
          if (!received.deliveries().isEmpty()) {
            return cancellation.isCancelled() || !isThere.getAsBoolean() ? givenBack(received) : received;
          }
        }
        if (isOver) {
          break;
        }
        sleep(bell, shorter(left, waiting.isFirst() ? untilLook(until) : left));
      }
      return MailboxOutcome.Received.NOTHING;
    }
  }

  private MailboxOutcome.Received givenBack(MailboxOutcome.Received received) {
    giveBack(received);
    return MailboxOutcome.Received.NOTHING;
  }

  /** Puts back what was lent, for others to receive at once. */
  public void giveBack(MailboxOutcome.Received received) {
    received.deliveries().forEach(delivery -> nack(
        new MailboxCommand.Nack(delivery.mailbox(), delivery.receipt(), Visibility.NONE, null)));
  }

  /** What is visible and was not to be had, somebody else was about to take; it is looked for again a little later. */
  private Duration untilLook(Optional<Duration> untilVisible) {
    return shorter(betweenLooks, untilVisible.filter(until -> !until.isZero()).orElse(betweenLooks));
  }

  private void sleep(WakeUp bell, Duration atMost) {
    Scheduler.Pending alarm = scheduler.after(atMost.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : atMost,
        bell::signal);
    bell.await();
    alarm.cancel();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** The worker is done with a message. */
  public MailboxOutcome.OfAck ack(MailboxCommand.Ack command) {
    return store.ack(command);
  }

  /** The worker gives a message back, for now or later. */
  public MailboxOutcome.OfNack nack(MailboxCommand.Nack command) {
    MailboxOutcome.OfNack outcome = store.nack(command);
    arrivals.tell(command.mailbox());
    return outcome;
  }

  /**
   * The worker says that it is no use to try a message again.
   *
   * @param actor who works; null for a worker of this process
   */
  public MailboxOutcome.OfReject reject(MailboxCommand.Reject command, @Nullable Actor actor) {
    MailboxOutcome.OfReject outcome = store.reject(command);
    switch (outcome) {
      case MailboxOutcome.Rejected(Message.DeadLetter letter) -> tell(letter, actor);
      case MailboxOutcome.OldReceipt _ -> {
      }
    }
    return outcome;
  }

  /** The worker goes on with a message. */
  public MailboxOutcome.OfExtend extend(MailboxCommand.Extend command) {
    return store.extend(command);
  }

  /** The worker answers, and is done with the message by the same step where this was the last answer. */
  public MailboxOutcome.OfReply reply(MailboxCommand.Reply command) {
    MailboxOutcome.OfReply outcome = store.reply(command, MessageId.fresh(newIds.get()));
    switch (outcome) {
      case MailboxOutcome.Replied(Message reply, boolean _) -> arrivals.tell(reply.mailbox());
      case MailboxOutcome.NoReplyAddress _,MailboxOutcome.OldReceipt _ -> {
      }
    }
    return outcome;
  }

  /** The lease of a delivery, for a {@link fleet.tower.lease.keepalive.LeaseExtender} to extend on progress. */
  public Extendable lease(Message.Delivery delivery) {
    return new Extendable() {
      @Override
      public String name() {
        return "message " + delivery.message().id();
      }

      @Override
      public long deadlineNanos() {
        return delivery.deadlineNanos();
      }

      @Override
      public Renewal.Result extend(Duration by) {
        long stampNanos = time.nanos();
        Visibility visibility = new Visibility(Math.min(Visibility.MAX_SECONDS, by.plusMillis(999).toSeconds()));
        return switch (store.extend(
            new MailboxCommand.Extend(delivery.mailbox(), delivery.receipt(), visibility))) {
          case MailboxOutcome.Extended extended -> new Renewal.Renewed(
              new LeaseTerm.Of(by, time.now(), stampNanos + extended.remaining().toNanos()));
          case MailboxOutcome.OldReceipt(Receipt _, MailboxOutcome.Reason reason) ->
            new Renewal.Lost(MailboxJson.words(reason), null);
        };
      }
    };
  }

  /** How many messages a mailbox has. */
  public MailboxStore.Count count(MailboxName mailbox) {
    return store.count(mailbox);
  }

  /** The same of all mailboxes. */
  public List<MailboxStore.Count> counts() {
    return store.counts();
  }

  /** Hands over the dead letters of a mailbox, the oldest first, until it is answered false. */
  public void dead(MailboxName mailbox, int limit, Predicate<Message.DeadLetter> reader) {
    store.dead(mailbox, limit, reader);
  }

  /** Throws away all messages of a mailbox, and says in the audit log who did so. Tells how many. */
  public long purge(MailboxName mailbox, Actor actor) {
    long messages = store.purge(mailbox);
    return told(messages,
        new AuditEvent.MailboxPurged(time.now(), mailbox.value(), false, messages, Origin.of(actor)));
  }

  /** Throws away the dead letters of a mailbox, and says in the audit log who did so. Tells how many. */
  public long purgeDead(MailboxName mailbox, Actor actor) {
    long messages = store.purgeDead(mailbox);
    return told(messages, new AuditEvent.MailboxPurged(time.now(), mailbox.value(), true, messages, Origin.of(actor)));
  }

  /** Puts dead letters back to be delivered, and says in the audit log who did so. */
  public MailboxOutcome.OfRevive revive(MailboxCommand.Revive command, Actor actor) {
    MailboxOutcome.OfRevive outcome = store.revive(command);
    switch (outcome) {
      case MailboxOutcome.Revived(MailboxName mailbox, long messages) -> {
        if (messages > 0) {
          audit.append(new AuditEvent.MailboxRevived(time.now(), mailbox.value(), messages,
              command.ids().stream().map(MessageId::value).toList(), Origin.of(actor)));
        }
        arrivals.tell(mailbox);
      }
      case MailboxOutcome.NoDeadLetter _ -> {
      }
    }
    return outcome;
  }

  private long told(long messages, AuditEvent.MailboxPurged event) {
    if (messages > 0) {
      audit.append(event);
    }
    return messages;
  }

  private void tell(Message.DeadLetter letter, @Nullable Actor actor) {
    audit.append(new AuditEvent.MessageDead(letter.deadAt(), letter.mailbox().value(), letter.id().value(),
        letter.deliveryCount(),
        letter.cause().toString(), letter.lastError(), actor == null ? null : Origin.of(actor)));
  }

  /** Ends all waits; what is lent stays lent. */
  @Override
  public void close() {
    closing.cancel();
    store.close();
  }
}

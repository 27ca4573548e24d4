package fleet.tower.mailbox;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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
import fleet.tower.lease.keepalive.LeaseExtender.Extendable;
import fleet.tower.lease.keepalive.Renewal;
import fleet.tower.lock.queue.ArrivalSignals;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.OutageWait;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Notices;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;

/**
 * Mailboxes for senders and workers. The store decides. Waiters are woken by sends and returns of this process and by
 * notices of those of others, and poll too. Dead letters, purges and revivals are written to the audit log.
 */
public final class Mailboxes implements AutoCloseable {
  /** The maximum accepted wait. */
  public static final long MAX_WAIT_SECONDS = 3_600;
  public static final Duration MAX_WAIT = Duration.ofSeconds(MAX_WAIT_SECONDS);
  /**
   * The default interval of polls for messages of other processes. A poll reads two ends of an index, and writes
   * nothing.
   */
  public static final Duration POLL_INTERVAL = Duration.ofMillis(25);
  /** The interval where notices arrive: it only finds messages of a process that sends none, and lost notices. */
  public static final Duration POLL_INTERVAL_WITH_NOTICES = Duration.ofSeconds(3);
  private static final Duration SHORTEST_SLEEP = Duration.ofMillis(1);

  private final MailboxStore store;
  private final AuditLog audit;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Supplier<RequestId> newIds;
  private final Duration pollInterval;
  private final ArrivalSignals<MailboxName> arrivals = new ArrivalSignals<>();
  private final Cancellation closing = new Cancellation();
  private final Notices notices;
  private Notices.@Nullable Subscription subscription;

  /** The same with notices whose subjects are mailboxes; the first waiter subscribes to them. */
  public Mailboxes(MailboxStore store, AuditLog audit, TimeSource time, Scheduler scheduler,
      Supplier<RequestId> newIds, Duration pollInterval, Notices notices) {
    this.pollInterval = pollInterval;
    this.notices = notices;
    this.store = store;
    this.audit = audit;
    this.time = time;
    this.scheduler = scheduler;
    this.newIds = newIds;
  }

  /** Appends a message to a mailbox. */
  public MailboxOutcome.OfSend send(MailboxCommand.Send command) {
    MessageId id = command.id();
    MailboxOutcome.OfSend outcome = store.send(command, id == null ? MessageId.fresh(newIds.get()) : id);
    arrivals.signal(command.mailbox());
    return outcome;
  }

  /** Leases the messages that are available now; may return none. */
  public MailboxOutcome.Received receive(MailboxCommand.Receive command) {
    long stampNanos = time.nanos();
    MailboxOutcome.Received received = store.receive(command, newIds.get(), stampNanos);
    received.buried().forEach(letter -> audit(letter, null));
    return received;
  }

  /**
   * Leases available messages as soon as there is one, without waiting for more. Returns none if the wait ends, is
   * cancelled, or is ended by {@link #close}. Leases nothing to a receiver that is known to have disconnected; messages
   * leased in the moment of its disconnection are returned, with the delivery counted. While the store cannot be
   * reached, the wait continues.
   *
   * @param isConnected polled on the waiting thread
   */
  public MailboxOutcome.Received receive(MailboxCommand.Receive command, Duration wait, Cancellation cancellation,
      BooleanSupplier isConnected) {
    return receive(command.mailbox(), () -> command, wait, cancellation, isConnected);
  }

  /**
   * The same for a receiver whose selection of messages may change while it waits.
   *
   * @param receiver is asked before each look; its failures are those of the store
   */
  public MailboxOutcome.Received receive(MailboxName mailbox, Supplier<MailboxCommand.Receive> receiver, Duration wait,
      Cancellation cancellation, BooleanSupplier isConnected) {
    if (wait.isNegative() || wait.compareTo(MAX_WAIT) > 0) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST,
          "a wait of " + wait.toSeconds() + " s is outside 0 to " + MAX_WAIT.toSeconds() + " seconds (1 hour)");
    }
    long end = time.nanos() + wait.toNanos();
    OutageWait outage = new OutageWait(wait, time, scheduler, cancellation);
    WakeUp wakeUp = new WakeUp();
    subscribe();
    try (var _ = cancellation.on(wakeUp::signal);
        var _ = closing.on(wakeUp::signal);
        var waiting = arrivals.join(mailbox, wakeUp)) {
      while (!cancellation.isCancelled() && !closing.isCancelled() && isConnected.getAsBoolean()) {
        Duration left = Duration.ofNanos(end - time.nanos());
        boolean isOver = left.compareTo(Duration.ZERO) <= 0;
        try {
          Optional<Duration> until = isOver || waiting.isFirst()
              ? store.untilVisible(receiver.get())
              : Optional.empty();
          if (until.filter(Duration::isZero).isPresent()) {
            MailboxOutcome.Received received = receive(receiver.get());
            if (!received.deliveries().isEmpty()) {
              return cancellation.isCancelled() || !isConnected.getAsBoolean() ? returned(received) : received;
            }
          }
          if (isOver) {
            break;
          }
          sleep(wakeUp, shorter(left, waiting.isFirst() ? untilPoll(until) : left));
        } catch (StorageException e) {
          if (!closing.isCancelled()) {
            outage.outlast(e);
          }
        }
      }
      return MailboxOutcome.Received.NOTHING;
    }
  }

  private synchronized void subscribe() {
    if (subscription == null && !closing.isCancelled()) {
      subscription = notices.subscribe(new Notices.Listener() {
        @Override
        public void changed(String subject) {
          try {
            arrivals.signal(new MailboxName(subject));
          } catch (InvalidValue notOurs) {
            // Any client of the database can announce anything.
          }
        }

        @Override
        public void missed() {
          arrivals.signalAll();
        }
      });
    }
  }

  private MailboxOutcome.Received returned(MailboxOutcome.Received received) {
    returnAll(received);
    return MailboxOutcome.Received.NOTHING;
  }

  /** Returns leased messages, so that others may receive them at once. */
  public void returnAll(MailboxOutcome.Received received) {
    received.deliveries().forEach(delivery -> nack(
        new MailboxCommand.Nack(delivery.mailbox(), delivery.receipt(), Visibility.NONE, null)));
  }

  /** A visible message that was not available is being leased by another worker; check again soon. */
  private Duration untilPoll(Optional<Duration> untilVisible) {
    return shorter(pollInterval, untilVisible.map(until -> until.isZero() ? POLL_INTERVAL : until)
        .orElse(pollInterval));
  }

  private void sleep(WakeUp wakeUp, Duration atMost) {
    Scheduler.Pending alarm = scheduler.after(atMost.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : atMost,
        wakeUp::signal);
    wakeUp.await();
    alarm.cancel();
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Acknowledges a message. */
  public MailboxOutcome.OfAck ack(MailboxCommand.Ack command) {
    return store.ack(command);
  }

  /** Returns a message, at once or with a delay. */
  public MailboxOutcome.OfNack nack(MailboxCommand.Nack command) {
    MailboxOutcome.OfNack outcome = store.nack(command);
    arrivals.signal(command.mailbox());
    return outcome;
  }

  /** Returns the messages that a receiver has, at once. */
  public List<MailboxStore.GivenBack> giveBack(String receiver) {
    List<MailboxStore.GivenBack> returned = store.giveBack(receiver);
    returned.forEach(message -> arrivals.signal(message.mailbox()));
    return returned;
  }

  /**
   * Turns a message into a dead letter.
   *
   * @param actor the worker; null for a worker of this process
   */
  public MailboxOutcome.OfReject reject(MailboxCommand.Reject command, @Nullable Actor actor) {
    MailboxOutcome.OfReject outcome = store.reject(command);
    switch (outcome) {
      case MailboxOutcome.Rejected(Message.DeadLetter letter) -> audit(letter, actor);
      case MailboxOutcome.OldReceipt _ -> {
      }
    }
    return outcome;
  }

  /** Extends the lease of a message. */
  public MailboxOutcome.OfExtend extend(MailboxCommand.Extend command) {
    return store.extend(command);
  }

  /** Replies to a message; the last reply acknowledges it in the same step. */
  public MailboxOutcome.OfReply reply(MailboxCommand.Reply command) {
    MailboxOutcome.OfReply outcome = store.reply(command, MessageId.fresh(newIds.get()));
    switch (outcome) {
      case MailboxOutcome.Replied(Message reply, boolean _) -> arrivals.signal(reply.mailbox());
      case MailboxOutcome.NoReplyAddress _,MailboxOutcome.OldReceipt _,MailboxOutcome.Full _ -> {
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
            new Renewal.Lost(reason.describe(), null);
        };
      }
    };
  }

  /** The audiences of the messages of a mailbox that no worker has. */
  public Set<String> audiences(MailboxName mailbox) {
    return store.audiences(mailbox);
  }

  /** The number of messages of a mailbox. */
  public MailboxStore.Count count(MailboxName mailbox) {
    return store.count(mailbox);
  }

  /** The numbers of messages of all mailboxes. */
  public List<MailboxStore.Count> counts() {
    return store.counts();
  }

  /** What all mailboxes have. */
  public List<MailboxStore.Size> sizes() {
    return store.sizes();
  }

  /** Passes the dead letters of a mailbox to {@code reader}, oldest first, until it returns false. */
  public void dead(MailboxName mailbox, int limit, Predicate<Message.DeadLetter> reader) {
    store.dead(mailbox, limit, reader);
  }

  /** Deletes all messages of a mailbox, and audits it. Returns their number. */
  public long purge(MailboxName mailbox, Actor actor) {
    long messages = store.purge(mailbox);
    return audited(messages,
        new AuditEvent.MailboxPurged(time.now(), mailbox.value(), false, messages, Origin.of(actor)));
  }

  /** Deletes the dead letters of a mailbox, and audits it. Returns their number. */
  public long purgeDead(MailboxName mailbox, Actor actor) {
    long messages = store.purgeDead(mailbox);
    return audited(messages,
        new AuditEvent.MailboxPurged(time.now(), mailbox.value(), true, messages, Origin.of(actor)));
  }

  /** Makes dead letters deliverable again, and audits it. */
  public MailboxOutcome.OfRevive revive(MailboxCommand.Revive command, Actor actor) {
    MailboxOutcome.OfRevive outcome = store.revive(command);
    switch (outcome) {
      case MailboxOutcome.Revived(MailboxName mailbox, long messages) -> {
        if (messages > 0) {
          audit.append(new AuditEvent.MailboxRevived(time.now(), mailbox.value(), messages,
              command.ids().stream().map(MessageId::value).toList(), Origin.of(actor)));
        }
        arrivals.signal(mailbox);
      }
      case MailboxOutcome.NoDeadLetter _ -> {
      }
    }
    return outcome;
  }

  private long audited(long messages, AuditEvent.MailboxPurged event) {
    if (messages > 0) {
      audit.append(event);
    }
    return messages;
  }

  private void audit(Message.DeadLetter letter, @Nullable Actor actor) {
    audit.append(new AuditEvent.MessageDead(letter.deadAt(), letter.mailbox().value(), letter.id().value(),
        letter.deliveryCount(),
        letter.cause().toString(), letter.lastError(), actor == null ? null : Origin.of(actor)));
  }

  /** Ends all waits; leases continue. */
  @Override
  public void close() {
    closing.cancel();
    synchronized (this) {
      if (subscription != null) {
        subscription.close();
      }
    }
    store.close();
  }
}

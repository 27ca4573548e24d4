package fleet.tower.mailbox.consumer;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.lease.keepalive.LeaseExtender.Extendable;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.TimeSource;

/** One consumer: receives messages and hands them to the handler until it is stopped. No failure ends it. */
final class ConsumerLoop implements Runnable {
  private static final System.Logger LOG = System.getLogger(ConsumerLoop.class.getName());

  private final int number;
  private final ConsumerMailbox mailbox;
  private final ConsumerSettings settings;
  private final MessageHandler handler;
  private final TimeSource time;
  private final Cancellation stopping;
  private final ProgressSignal progress;
  private final Cancellation ended = new Cancellation();
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile Message.@Nullable Delivery current;

  ConsumerLoop(int number, ConsumerMailbox mailbox, ConsumerSettings settings, MessageHandler handler, TimeSource time,
      Cancellation stopping) {
    this.number = number;
    this.mailbox = mailbox;
    this.settings = settings;
    this.handler = handler;
    this.time = time;
    this.stopping = stopping;
    this.progress = new ProgressSignal(time);
  }

  int number() {
    return number;
  }

  /** From now on it counts as running, even before its thread starts. */
  void markStarted() {
    started.set(true);
    progress.beat();
  }

  boolean isRunning() {
    return started.get() && !ended.isCancelled();
  }

  /** Cancelled when the consumer has ended. */
  Cancellation ended() {
    return ended;
  }

  /** The time since its last sign of life. */
  MailboxConsumers.Stalled silence() {
    Message.Delivery at = current;
    return new MailboxConsumers.Stalled(number, progress.elapsed(), at == null ? null : at.message().id());
  }

  @Override
  public void run() {
    try {
      while (!stopping.isCancelled()) {
        progress.beat();
        List<Message.Delivery> received = mailbox.receive(stopping);
        progress.beat();
        work(received);
      }
    } finally {
      ended.cancel();
    }
  }

  private void work(List<Message.Delivery> deliveries) {
    for (int i = 0; i < deliveries.size(); i++) {
      if (stopping.isCancelled()) {
        deliveries.subList(i, deliveries.size())
            .forEach(unbegun -> mailbox.settle(unbegun,
                new MessageHandler.Result.Later(Visibility.NONE, "its worker was stopped")));
        return;
      }
      Message.Delivery delivery = deliveries.get(i);
      // The messages before it may have taken so long that another consumer has it by now.
      if (time.nanos() - delivery.deadlineNanos() < 0) {
        current = delivery;
        work(delivery);
        current = null;
      }
    }
  }

  private void work(Message.Delivery delivery) {
    Cancellation lost = new Cancellation();
    MessageHandler.Result result;
    Extendable lease = mailbox.lease(delivery);
    LeaseExtender extender = new LeaseExtender(settings.extension(), time, LeaseExtender.inWords(lease.name(),
        extension -> LOG.log(System.Logger.Level.DEBUG, extension), mailbox::log, lost::cancel));
    try (var _ = extender.attach(lease, progress)) {
      result = handler.handle(new MessageHandler.Job(delivery, progress, lost, stopping));
    } catch (RuntimeException | Error e) {
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      mailbox.log("message " + delivery.message().id() + " failed: " + why);
      result = new MessageHandler.Result.Later(delivery.pause(), why);
    }
    progress.beat();
    if (!lost.isCancelled()) {
      mailbox.settle(delivery, result);
    }
    progress.beat();
  }
}

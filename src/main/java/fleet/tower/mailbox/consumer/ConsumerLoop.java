package fleet.tower.mailbox.consumer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.keepalive.Extendable;
import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.Message;
import fleet.tower.mailbox.Visibility;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.wait.Cancellation;

/** One worker: receives and handles messages until it is stopped. No failure ends it. */
final class ConsumerLoop implements Runnable {
  private static final System.Logger LOG = System.getLogger(ConsumerLoop.class.getName());

  private final int number;
  private final ConsumerMailbox mailbox;
  private final ConsumerSettings settings;
  private final Handler handler;
  private final TimeSource time;
  private final Cancellation stop;
  private final ProgressSignal heartbeat;
  private final Cancellation ended = new Cancellation();
  private final AtomicBoolean started = new AtomicBoolean();
  private volatile Message.@Nullable Delivery current;

  ConsumerLoop(int number, ConsumerMailbox mailbox, ConsumerSettings settings, Handler handler, TimeSource time,
      Cancellation stop) {
    this.number = number;
    this.mailbox = mailbox;
    this.settings = settings;
    this.handler = handler;
    this.time = time;
    this.stop = stop;
    this.heartbeat = new ProgressSignal(time);
  }

  int number() {
    return number;
  }

  /** Counts as working from now on, even before its thread runs. */
  void start() {
    started.set(true);
    heartbeat.beat();
  }

  boolean isWorking() {
    return started.get() && !ended.isCancelled();
  }

  /** Cancelled when the worker has ended. */
  Cancellation ended() {
    return ended;
  }

  /** How long the worker has shown no progress. */
  StalledConsumer silence() {
    Message.Delivery at = current;
    return new StalledConsumer(number, heartbeat.elapsed(), at == null ? null : at.message().id());
  }

  @Override
  public void run() {
    try {
      while (!stop.isCancelled()) {
        heartbeat.beat();
        List<Message.Delivery> received = mailbox.receive(stop);
        heartbeat.beat();
        work(received);
      }
    } finally {
      ended.cancel();
    }
  }

  private void work(List<Message.Delivery> deliveries) {
    for (int i = 0; i < deliveries.size(); i++) {
      if (stop.isCancelled()) {
        deliveries.subList(i, deliveries.size())
            .forEach(remaining -> mailbox.settle(remaining,
                new DeliveryResult.Later(Visibility.NONE, "its worker was stopped")));
        return;
      }
      Message.Delivery delivery = deliveries.get(i);
      // The previous ones may have taken so long that this lease has expired.
      if (time.nanos() - delivery.deadlineNanos() < 0) {
        current = delivery;
        work(delivery);
        current = null;
      }
    }
  }

  private void work(Message.Delivery delivery) {
    Cancellation lost = new Cancellation();
    DeliveryResult result;
    LeaseExtender extender = new LeaseExtender(settings.extension(), time, new Tidings(lost));
    try (var _ = extender.attach(mailbox.lease(delivery), heartbeat)) {
      result = handler.handle(new Delivery(delivery, heartbeat, lost, stop));
    } catch (RuntimeException | Error e) {
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      mailbox.log("message " + delivery.message().id() + " failed: " + why);
      result = new DeliveryResult.Later(delivery.pause(), why);
    }
    heartbeat.beat();
    if (!lost.isCancelled()) {
      mailbox.settle(delivery, result);
    }
    heartbeat.beat();
  }

  /** What becomes of the lease while the work goes on. */
  private final class Tidings implements LeaseExtender.Listener {
    private final LeaseExtender.Listener words = LeaseExtender.Listener
        .inWords(extension -> LOG.log(System.Logger.Level.DEBUG, extension), mailbox::log);
    private final Cancellation lost;

    Tidings(Cancellation lost) {
      this.lost = lost;
    }

    @Override
    public void extended(Extendable lease, Duration by) {
      words.extended(lease, by);
    }

    @Override
    public void failed(Extendable lease, String error) {
      words.failed(lease, error);
    }

    @Override
    public void lost(Extendable lease, String reason) {
      words.lost(lease, reason);
      lost.cancel();
    }
  }
}

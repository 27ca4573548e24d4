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

/** One worker: takes messages and does what they ask for, until it is told to go. Nothing that goes wrong ends it. */
final class ConsumerLoop implements Runnable {
  private static final System.Logger LOG = System.getLogger(ConsumerLoop.class.getName());

  private final int number;
  private final ConsumerMailbox post;
  private final ConsumerSettings terms;
  private final Handler handler;
  private final TimeSource time;
  private final Cancellation dismissal;
  private final ProgressSignal heartbeat;
  private final Cancellation gone = new Cancellation();
  private final AtomicBoolean hired = new AtomicBoolean();
  private volatile Message.@Nullable Delivery current;

  ConsumerLoop(int number, ConsumerMailbox post, ConsumerSettings terms, Handler handler, TimeSource time,
      Cancellation dismissal) {
    this.number = number;
    this.post = post;
    this.terms = terms;
    this.handler = handler;
    this.time = time;
    this.dismissal = dismissal;
    this.heartbeat = new ProgressSignal(time);
  }

  int number() {
    return number;
  }

  /** From now on it counts as at work, also while its thread has not begun. */
  void hire() {
    hired.set(true);
    heartbeat.beat();
  }

  boolean isAtWork() {
    return hired.get() && !gone.isCancelled();
  }

  /** Cancelled when the worker has gone. */
  Cancellation gone() {
    return gone;
  }

  /** How long it has given no sign of life. */
  StalledConsumer silence() {
    Message.Delivery at = current;
    return new StalledConsumer(number, heartbeat.elapsed(), at == null ? null : at.message().id());
  }

  @Override
  public void run() {
    try {
      while (!dismissal.isCancelled()) {
        heartbeat.beat();
        List<Message.Delivery> received = post.receive(dismissal);
        heartbeat.beat();
        work(received);
      }
    } finally {
      gone.cancel();
    }
  }

  private void work(List<Message.Delivery> deliveries) {
    for (int i = 0; i < deliveries.size(); i++) {
      if (dismissal.isCancelled()) {
        deliveries.subList(i, deliveries.size())
            .forEach(unbegun -> post.settle(unbegun,
                new DeliveryResult.Later(Visibility.NONE, "its worker was told to go")));
        return;
      }
      Message.Delivery delivery = deliveries.get(i);
      // Those before it may have taken so long that it is another's by now.
      if (time.nanos() - delivery.deadlineNanos() < 0) {
        current = delivery;
        work(delivery);
        current = null;
      }
    }
  }

  private void work(Message.Delivery delivery) {
    Cancellation lost = new Cancellation();
    DeliveryResult ending;
    LeaseExtender extender = new LeaseExtender(terms.extension(), time, new Tidings(lost));
    try (var _ = extender.attach(post.lease(delivery), heartbeat)) {
      ending = handler.handle(new Delivery(delivery, heartbeat, lost, dismissal));
    } catch (RuntimeException | Error e) {
      String why = e.getMessage() == null ? e.toString() : e.getMessage();
      post.log("message " + delivery.message().id() + " failed: " + why);
      ending = new DeliveryResult.Later(delivery.pause(), why);
    }
    heartbeat.beat();
    if (!lost.isCancelled()) {
      post.settle(delivery, ending);
    }
    heartbeat.beat();
  }

  /** What becomes of the lease while the work goes on. */
  private final class Tidings implements LeaseExtender.Listener {
    private final LeaseExtender.Listener words = LeaseExtender.Listener
        .inWords(extension -> LOG.log(System.Logger.Level.DEBUG, extension), post::log);
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

package fleet.tower.mailbox.consumer;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import fleet.tower.mailbox.Mailboxes;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.platform.wait.WakeUp;

/**
 * A group of workers on one mailbox.
 *
 * <p>Being told to go cannot be taken back, also where it comes before the beginning: then nobody begins. All workers are told
 * before anyone is waited for. Who is at a message finishes it; what was received and not begun is given back at once.
 */
public final class MailboxConsumers {
  private final Scheduler scheduler;
  private final Cancellation dismissal = new Cancellation();
  private final List<ConsumerLoop> hands;
  private final Duration stalledAfter;
  private final AtomicBoolean begun = new AtomicBoolean();

  /** @param log told in words what went wrong */
  public MailboxConsumers(Mailboxes mailboxes, ConsumerSettings terms, Handler handler, TimeSource time,
      Scheduler scheduler,
      Consumer<String> log) {
    requireNonNull(handler);
    requireNonNull(log);
    this.scheduler = requireNonNull(scheduler);
    this.stalledAfter = terms.stalledAfter();
    ConsumerMailbox post = new ConsumerMailbox(mailboxes, terms, scheduler, log);
    this.hands = IntStream.rangeClosed(1, terms.workers())
        .mapToObj(number -> new ConsumerLoop(number, post, terms, handler, time, dismissal)).toList();
  }

  /** The workers begin, each on a thread of its own. */
  public void start() {
    if (!begun.compareAndSet(false, true)) {
      throw new IllegalStateException("this crew has begun before");
    }
    for (ConsumerLoop hand : hands) {
      hand.hire();
      Thread.ofVirtual().name("tower-hand-" + hand.number()).start(hand);
    }
  }

  /** Tells all workers to go; returns at once, and may be called by anybody at any time. */
  public void dismiss() {
    dismissal.cancel();
  }

  /** Tells all workers to go, and waits for them, but no longer than that. Answers whether all have gone. */
  public boolean dismiss(Duration patience) {
    dismiss();
    WakeUp bell = new WakeUp();
    AtomicBoolean isOver = new AtomicBoolean();
    Scheduler.Pending alarm = scheduler.after(patience, () -> {
      isOver.set(true);
      bell.signal();
    });
    List<Cancellation.Registration> listening = hands.stream().map(hand -> hand.gone().on(bell::signal)).toList();
    while (hands.stream().anyMatch(ConsumerLoop::isAtWork) && !isOver.get()) {
      bell.await();
    }
    alarm.cancel();
    listening.forEach(Cancellation.Registration::close);
    return hands.stream().noneMatch(ConsumerLoop::isAtWork);
  }

  /** The workers that are stuck. Who has gone is not. */
  public List<StalledConsumer> stalled() {
    return hands.stream().filter(ConsumerLoop::isAtWork).map(ConsumerLoop::silence)
        .filter(stall -> stall.silence().compareTo(stalledAfter) > 0).toList();
  }
}

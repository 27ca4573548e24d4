package fleet.tower.mailbox.consumer;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.MessageId;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;

/**
 * A group of consumers of one mailbox.
 *
 * <p>A stop cannot be undone; after a stop, no consumer starts. All are stopped before any is waited for. A consumer
 * finishes its current message; messages that it has received but not started are returned at once.
 */
public final class MailboxConsumers {
  private final Scheduler scheduler;
  private final Cancellation stopping = new Cancellation();
  private final List<ConsumerLoop> consumers;
  private final Duration stalledAfter;
  private final AtomicBoolean started = new AtomicBoolean();

  /** @param log receives failures, in sentences */
  public MailboxConsumers(Mailboxes mailboxes, ConsumerSettings settings, MessageHandler handler, TimeSource time,
      Scheduler scheduler,
      Consumer<String> log) {
    this.scheduler = scheduler;
    this.stalledAfter = settings.stalledAfter();
    ConsumerMailbox mailbox = new ConsumerMailbox(mailboxes, settings, scheduler, log);
    this.consumers = IntStream.rangeClosed(1, settings.workers())
        .mapToObj(number -> new ConsumerLoop(number, mailbox, settings, handler, time, stopping)).toList();
  }

  /** Starts the consumers, each on a thread of its own. */
  public void start() {
    if (!started.compareAndSet(false, true)) {
      throw new IllegalStateException("these consumers were started before");
    }
    for (ConsumerLoop consumer : consumers) {
      consumer.markStarted();
      Thread.ofVirtual().name("tower-consumer-" + consumer.number()).start(consumer);
    }
  }

  /** Stops all consumers; returns at once, and may be called from any thread at any time. */
  public void stop() {
    stopping.cancel();
  }

  /** Stops all consumers and waits for them up to a limit. Returns whether all have ended. */
  public boolean stop(Duration patience) {
    stop();
    WakeUp wakeUp = new WakeUp();
    AtomicBoolean isOver = new AtomicBoolean();
    Scheduler.Pending alarm = scheduler.after(patience, () -> {
      isOver.set(true);
      wakeUp.signal();
    });
    List<Cancellation.Registration> listening = consumers.stream().map(consumer -> consumer.ended().on(wakeUp::signal))
        .toList();
    while (consumers.stream().anyMatch(ConsumerLoop::isRunning) && !isOver.get()) {
      wakeUp.await();
    }
    alarm.cancel();
    listening.forEach(Cancellation.Registration::close);
    return consumers.stream().noneMatch(ConsumerLoop::isRunning);
  }

  /** The consumers that are stuck. One that has ended is not. */
  public List<Stalled> stalled() {
    return consumers.stream().filter(ConsumerLoop::isRunning).map(ConsumerLoop::silence)
        .filter(stall -> stall.silence().compareTo(stalledAfter) > 0).toList();
  }

  /**
   * A consumer that has shown no progress for too long.
   *
   * @param worker its number, starting at 1
   * @param message its current message; null for none
   */
  public record Stalled(int worker, Duration silence, @Nullable MessageId message) {

    @Override
    public String toString() {
      return "worker " + worker + " has shown no progress for " + silence.toSeconds() + " s"
          + (message == null ? "" : ", working on message " + message);
    }
  }
}

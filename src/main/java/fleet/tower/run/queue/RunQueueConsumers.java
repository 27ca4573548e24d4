package fleet.tower.run.queue;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Visibility;
import fleet.tower.mailbox.consumer.ConsumerSettings;
import fleet.tower.mailbox.consumer.Delivery;
import fleet.tower.mailbox.consumer.DeliveryResult;
import fleet.tower.mailbox.consumer.MailboxConsumers;
import fleet.tower.mailbox.consumer.StalledConsumer;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.QueuedRuns;

/**
 * The workers of this process that take runs from the queue, so many at the same time.
 *
 * <p>A note is kept by the beats of its run, which also beats while it waits for its lock. Should it come to another executor
 * all the same, that one sees in the run's record that the run is had, and leaves it alone.
 */
public final class RunQueueConsumers {
  /** How soon a run is seen that another process has queued; a service that has nothing to do should do little. */
  public static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final Duration BETWEEN_MENDINGS = Duration.ofMinutes(1);
  /** So often at most a run is tried that never comes to its first step. */
  static final int MOST_TRIES = 50;
  private static final Visibility LATER = new Visibility(30);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int EXTENSIONS_IN_A_LEASE = 6;

  private final QueuedRuns queued;
  private final MailboxConsumers crew;
  private final Scheduler scheduler;
  private final Consumer<String> log;
  private Scheduler.@Nullable Pending mending;
  private boolean dismissed;

  /** @param log told in words what went wrong */
  public RunQueueConsumers(QueuedRuns queued, Mailboxes mailboxes, Settings settings, TimeSource time,
      Scheduler scheduler,
      Consumer<String> log) {
    this.queued = requireNonNull(queued);
    this.scheduler = requireNonNull(scheduler);
    this.log = requireNonNull(log);
    this.crew = new MailboxConsumers(mailboxes, settings.terms(), this::handle, time, scheduler, log);
  }

  /**
   * How the queue is worked on.
   *
   * @param workers so many runs at the same time
   * @param stalledAfter without progress for so long, a worker counts as stalled
   * @param lease for how long a note is lent; so late another executor takes a run whose executor has died
   */
  public record Settings(int workers, Duration stalledAfter, Duration lease) {
    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);
    public static final Duration LONGEST_LEASE = Duration.ofHours(1);

    public Settings {
      requireNonNull(stalledAfter);
      if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "the lease of a queued run must be from 2s to 1h");
      }
    }

    /** Runs beat at least as often as locks are renewed; where that is too rare, their notes would go to others. */
    public Settings withBeatsEvery(Duration interval) {
      if (interval.multipliedBy(2).compareTo(lease) > 0) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "a queued run that is lent for " + lease.toSeconds()
            + " s would be lost between two heartbeats; lend it for twice the heartbeat's max-interval of "
            + interval.toSeconds() + " s at least");
      }
      return this;
    }

    private ConsumerSettings terms() {
      Visibility lent = new Visibility(lease.toSeconds());
      return new ConsumerSettings(workers,
          new MailboxCommand.Receive(RunQueue.MAILBOX, 1, lent, MailboxCommand.Receive.MAX_DELIVERIES), PATIENCE,
          stalledAfter,
          new LeaseExtender.Settings(lease.dividedBy(EXTENSIONS_IN_A_LEASE), lent.duration(), true));
    }
  }

  /** The workers begin. */
  public void start() {
    mend();
    crew.start();
  }

  private synchronized void mend() {
    if (dismissed) {
      return;
    }
    try {
      queued.mend();
    } catch (StorageException e) {
      log.accept("the queue of runs cannot be looked at: " + e.getMessage());
    }
    mending = scheduler.after(BETWEEN_MENDINGS, this::mend);
  }

  /** No further run is taken; what is under way is ended by whoever ends all runs. */
  public void dismiss() {
    crew.stop();
    synchronized (this) {
      dismissed = true;
      if (mending != null) {
        mending.cancel();
      }
    }
  }

  /** The same, and waits until all workers have gone, but no longer than that. Answers whether they have. */
  public boolean dismiss(Duration patience) {
    dismiss();
    return crew.stop(patience);
  }

  /** The workers that are stuck. */
  public List<StalledConsumer> stalled() {
    return crew.stalled();
  }

  private DeliveryResult handle(Delivery job) {
    Optional<RequestId> noted = idIn(job);
    if (noted.isEmpty()) {
      return new DeliveryResult.Never("this is not the id of a run");
    }
    RequestId id = noted.get();
    if (job.delivery().count() > MOST_TRIES) {
      log.accept("run " + id + " was tried " + MOST_TRIES + " times and never came to its first step");
      queued.giveUp(id);
      return new DeliveryResult.Done();
    }
    return switch (queued.take(id)) {
      case QueuedRuns.Taken(RunHandle ticket, BooleanSupplier end) -> attend(ticket, end, job);
      case QueuedRuns.Over() -> new DeliveryResult.Done();
      case QueuedRuns.Elsewhere() -> new DeliveryResult.Later(LATER, "another executor has the run");
      case QueuedRuns.Closing() -> new DeliveryResult.Later(Visibility.NONE, "its executor was going down");
    };
  }

  private static DeliveryResult attend(RunHandle ticket, BooleanSupplier end, Delivery job) {
    Optional<ProgressSignal.Listening> listening = ticket.heartbeat()
        .map(heartbeat -> heartbeat.onBeat(job.heartbeat()::beat));
    try {
      return end.getAsBoolean()
          ? new DeliveryResult.Done()
          : new DeliveryResult.Later(Visibility.NONE, "its executor was going down");
    } finally {
      listening.ifPresent(ProgressSignal.Listening::close);
    }
  }

  private static Optional<RequestId> idIn(Delivery job) {
    try {
      return job.delivery().message().body().text().map(RequestId::new);
    } catch (InvalidValue e) {
      return Optional.empty();
    }
  }
}

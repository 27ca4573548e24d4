package fleet.tower.run.submit;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.lease.keepalive.LeaseExtender;
import fleet.tower.lease.keepalive.ProgressSignal;
import fleet.tower.mailbox.MailboxCommand;
import fleet.tower.mailbox.Mailboxes;
import fleet.tower.mailbox.Visibility;
import fleet.tower.mailbox.consumer.ConsumerSettings;
import fleet.tower.mailbox.consumer.MailboxConsumers;
import fleet.tower.mailbox.consumer.MessageHandler;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.QueuedRuns.TakeOutcome;

/**
 * The workers of this process that take runs from the queue.
 *
 * <p>The lease of a queue entry is extended by the progress of its run, which also beats while it waits for its lock.
 * If the entry is delivered to another executor nevertheless, the run's record shows that it has an executor, and the
 * other one skips it.
 */
public final class RunQueueConsumers {
  /** The delay until a run queued by another process is seen; an idle service should do little. */
  public static final Duration POLL_INTERVAL = Duration.ofMillis(500);
  private static final Duration BETWEEN_REPAIRS = Duration.ofMinutes(1);
  /** The number of deliveries after which a run without a first step is given up. */
  static final int MAX_DELIVERIES = 50;
  /** How often to search for runs whose intent no host has any more. */
  static final Duration BETWEEN_REVIEWS = Duration.ofSeconds(5);
  private static final Duration BEFORE_RESTORING = Duration.ofSeconds(1);
  /** How often to try a run that a halt covers. */
  private static final Duration WHILE_HALTED = Duration.ofSeconds(5);
  private static final Visibility LATER = new Visibility(30);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int EXTENSIONS_IN_A_LEASE = 6;

  private final QueuedRuns queued;
  private final MailboxConsumers consumers;
  private final Scheduler scheduler;
  private final Consumer<String> log;
  private Scheduler.@Nullable Pending mending;
  private Scheduler.@Nullable Pending reviewing;
  private boolean stopped;

  /** @param log receives problems in words */
  public RunQueueConsumers(QueuedRuns queued, Mailboxes mailboxes, Settings settings, TimeSource time,
      Scheduler scheduler,
      Consumer<String> log) {
    this.queued = queued;
    this.scheduler = scheduler;
    this.log = log;
    this.consumers = new MailboxConsumers(mailboxes, settings.terms(this::selection), this::handle, time, scheduler,
        problem -> log.accept("the queue of runs: " + problem));
  }

  /**
   * The settings of the workers.
   *
   * @param workers the number of runs at the same time
   * @param stalledAfter the time without progress after which a worker counts as stalled
   * @param lease the lease of a queue entry; another executor takes a run this long after its executor died
   */
  public record Settings(int workers, Duration stalledAfter, Duration lease) {
    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);
    public static final Duration LONGEST_LEASE = Duration.ofHours(1);

    public Settings {
      if (lease.compareTo(SHORTEST_LEASE) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "the lease of a queued run must be from 2s to 1h");
      }
    }

    /**
     * Rejects a lease that is too short for the interval in which runs beat: their entries would go to other executors.
     */
    public Settings withBeatsEvery(Duration interval) {
      if (interval.plus(interval).compareTo(lease) > 0) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST, "the lease of a queued run, " + lease.toSeconds()
            + " s, would expire between two heartbeats; it must be at least twice the heartbeat's max-interval of "
            + interval.toSeconds() + " s");
      }
      return this;
    }

    private ConsumerSettings terms(Supplier<MailboxCommand.Selection> selection) {
      Visibility lent = new Visibility(lease.toSeconds());
      return new ConsumerSettings(workers,
          new MailboxCommand.Receive(RunQueue.MAILBOX, 1, lent, MailboxCommand.Receive.MAX_DELIVERIES, null), selection,
          PATIENCE, stalledAfter,
          new LeaseExtender.Settings(Duration.ofMillis(lease.toMillis() / EXTENSIONS_IN_A_LEASE), lent.duration(),
              true));
    }
  }

  /** Starts the workers. */
  public void start() {
    mend();
    review();
    consumers.start();
  }

  /** The runs whose intents this host has as they were checked, and may execute. */
  private MailboxCommand.Selection selection() {
    return new MailboxCommand.Selection(queued.digestsHere(), true);
  }

  private synchronized void review() {
    if (stopped) {
      return;
    }
    try {
      queued.refuseAbandoned();
      queued.expireApprovals();
    } catch (StorageException e) {
      // Mending reports it.
    }
    reviewing = scheduler.after(BETWEEN_REVIEWS, this::review);
  }

  private synchronized void mend() {
    if (stopped) {
      return;
    }
    try {
      queued.mend();
    } catch (StorageException e) {
      if (!e.isReported()) {
        log.accept("the queue of runs cannot be read: " + e.getMessage());
      }
    }
    mending = scheduler.after(BETWEEN_REPAIRS, this::mend);
  }

  /** Stops taking runs; those that have begun end with {@code Runs.close}. */
  public void dismiss() {
    consumers.stop();
    synchronized (this) {
      stopped = true;
      if (mending != null) {
        mending.cancel();
      }
      if (reviewing != null) {
        reviewing.cancel();
      }
    }
  }

  /** Stops taking runs, and waits for the workers to end; false if they have not ended in time. */
  public boolean dismiss(Duration patience) {
    dismiss();
    return consumers.stop(patience);
  }

  /** The workers that make no progress. */
  public List<MailboxConsumers.Stalled> stalled() {
    return consumers.stalled();
  }

  private MessageHandler.Result handle(MessageHandler.Job job) {
    Optional<RequestId> noted = idIn(job);
    if (noted.isEmpty()) {
      return new MessageHandler.Result.Never("this is not the id of a run");
    }
    RequestId id = noted.get();
    if (job.delivery().count() > MAX_DELIVERIES) {
      log.accept("run " + id + " was tried " + MAX_DELIVERIES + " times and never reached its first step");
      queued.giveUp(id);
      return new MessageHandler.Result.Done();
    }
    return switch (queued.take(id)) {
      case TakeOutcome.Taken(RunHandle handle, BooleanSupplier end) -> attend(handle, end, job);
      case TakeOutcome.Done() -> new MessageHandler.Result.Done();
      case TakeOutcome.Elsewhere() -> new MessageHandler.Result.Later(LATER, "another executor has the run");
      case TakeOutcome.NotHere() -> {
        var _ = scheduler.after(BEFORE_RESTORING, () -> restore(id));
        yield new MessageHandler.Result.Done();
      }
      case TakeOutcome.Barred() -> {
        var _ = scheduler.after(WHILE_HALTED, () -> restore(id));
        yield new MessageHandler.Result.Done();
      }
      case TakeOutcome.Closing() -> new MessageHandler.Result.Later(Visibility.NONE, "its executor was closing");
    };
  }

  /** Re-addresses an entry that this host should not have received, so that none of its deliveries is counted. */
  private void restore(RequestId id) {
    try {
      queued.restore(id);
    } catch (StorageException e) {
      log.accept("run " + id + " is added to the queue again within a minute: " + e.getMessage());
    }
  }

  private static MessageHandler.Result attend(RunHandle handle, BooleanSupplier end, MessageHandler.Job job) {
    Optional<ProgressSignal.Listening> listening = handle.heartbeat()
        .map(heartbeat -> heartbeat.onBeat(job.heartbeat()::beat));
    try {
      return end.getAsBoolean()
          ? new MessageHandler.Result.Done()
          : new MessageHandler.Result.Later(Visibility.NONE, "its executor gave it back");
    } finally {
      listening.ifPresent(ProgressSignal.Listening::close);
    }
  }

  private static Optional<RequestId> idIn(MessageHandler.Job job) {
    try {
      return job.delivery().message().body().text().map(RequestId::new);
    } catch (InvalidValue e) {
      return Optional.empty();
    }
  }
}

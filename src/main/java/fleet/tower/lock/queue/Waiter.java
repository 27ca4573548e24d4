package fleet.tower.lock.queue;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lock.queue.WaitQueue.WaitingRequest;
import fleet.tower.platform.OutageWait;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;

/**
 * One waiter in a queue: it sleeps, and after each wake-up checks whether it is its turn.
 *
 * <ol>
 * <li>Only the first waiter tries to acquire. A release wakes it.
 * <li>A waiter behind waiters of its own process sleeps until they are done, and touches no file.
 * <li>A waiter behind other processes only checks from time to time. If those do not take what is available, because
 * they are suspended, it overtakes them: after a second for each of them, so that those after it keep their order.
 * </ol>
 *
 * The slow checks are for events without notification: a lease that goes stale, a process that died, a lost
 * notification. While the storage cannot be reached, it keeps its place and tries again every second.
 */
public final class Waiter<T, B> {
  static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(10);
  static final Duration OVERTAKING_DELAY = Duration.ofSeconds(1);
  private static final Duration FIRST_CHECKS = Duration.ofMillis(250);
  /** Per process ahead, so that all waiters together check about as often as the first few. */
  private static final Duration OTHERS_CHECK = Duration.ofMillis(500);
  /** Without notifications: often at first, later after each twentieth of the time waited. */
  private static final Duration FIRST_POLLS = Duration.ofMillis(15);
  private static final int POLL_FRACTION = 20;
  private static final Duration OTHERS_POLL = Duration.ofMillis(60);
  /** Timers may fire slightly early, and clocks have a resolution. */
  private static final Duration SHORTEST_SLEEP = Duration.ofMillis(1);

  private final WaitQueue queue;
  private final TimeSource time;
  private final Wait wait;
  private final LockWait<T, B> target;
  private final OutageWait outage;
  private final WakeUp wakeUp = new WakeUp();
  private final AtomicBoolean alarmed = new AtomicBoolean();
  private final long begun;
  private Duration nextProgress = Duration.ZERO;
  private WaitQueue.Place.@Nullable Standing overtakable;
  private long overtakableSince;
  private long checkedAt;
  private boolean wasDue;

  /** @param outage the patience of the same call with a storage that cannot be reached */
  public Waiter(WaitQueue queue, TimeSource time, Wait wait, LockWait<T, B> target, OutageWait outage) {
    this.queue = queue;
    this.time = time;
    this.wait = wait;
    this.target = target;
    this.outage = outage;
    this.begun = time.nanos();
  }

  /** Waits for an answer, the limit or a cancellation; the queue is left on return. */
  public WaitOutcome<T, B> await(LeaseName name, WaitingRequest request) {
    try (var _ = wait.cancellation().on(wakeUp::signal)) {
      return switch (outage.through(() -> queue.join(name, request, wakeUp))) {
        case WaitQueue.JoinOutcome.Full() -> new WaitOutcome.TooManyWaiters<>(WaitQueue.LIMIT);
        case WaitQueue.JoinOutcome.Joined(WaitQueue.Place place) -> {
          try (place) {
            yield inQueue(place);
          }
        }
      };
    }
  }

  private WaitOutcome<T, B> inQueue(WaitQueue.Place place) {
    for (;;) {
      if (wait.cancellation().isCancelled()) {
        return new WaitOutcome.Cancelled<>();
      }
      try {
        Optional<WaitOutcome<T, B>> end = check(place);
        if (end.isPresent()) {
          return end.get();
        }
      } catch (StorageException e) {
        if (!wait.cancellation().isCancelled()) {
          outage.outlast(e);
        }
      }
    }
  }

  /** Attempts to acquire, or sleeps until the next check. */
  private Optional<WaitOutcome<T, B>> check(WaitQueue.Place place) {
    WaitQueue.Place.Standing standing = place.standing(alarmed.getAndSet(false));
    reportProgressIfDue(place);
    Optional<T> answer = mayAttempt(standing) ? target.attempt() : Optional.empty();
    if (answer.isPresent()) {
      return Optional.of(new WaitOutcome.Answered<>(answer.get()));
    }
    Duration waited = waited();
    if (waited.compareTo(wait.limit()) >= 0) {
      return Optional.of(target.atLimit());
    }
    sleep(shorter(shorter(wait.limit().minus(waited), nextProgress.minus(waited)), untilCheck(standing, place)));
    return Optional.empty();
  }

  private void reportProgressIfDue(WaitQueue.Place place) {
    Duration waited = waited();
    if (waited.compareTo(nextProgress) >= 0) {
      nextProgress = waited.plus(PROGRESS_INTERVAL);
      target.onWaiting(waited, place.position());
    }
  }

  private boolean mayAttempt(WaitQueue.Place.Standing standing) {
    return switch (standing) {
      case WaitQueue.Place.Standing.First() -> true;
      case WaitQueue.Place.Standing.BehindOwn() -> false;
      case WaitQueue.Place.Standing.BehindOthers others -> mayOvertake(others);
    };
  }

  /**
   * Whether the same waiters have left the available target untaken, at every check, for long enough. If a check is
   * late, this process was suspended, and they may have been suspended with it: then they have until the next check.
   */
  private boolean mayOvertake(WaitQueue.Place.Standing.BehindOthers others) {
    long now = time.nanos();
    long patience = OVERTAKING_DELAY.toNanos() * others.processes();
    boolean isLate = now - checkedAt > patience;
    checkedAt = now;
    if (!target.isAvailable()) {
      overtakable = null;
      return false;
    }
    if (!others.equals(overtakable)) {
      overtakable = others;
      overtakableSince = now;
      wasDue = false;
      return false;
    }
    boolean isDue = now - overtakableSince > patience;
    boolean isProven = isDue && (wasDue || !isLate);
    wasDue = isDue;
    return isProven;
  }

  private Duration untilCheck(WaitQueue.Place.Standing standing, WaitQueue.Place place) {
    return switch (standing) {
      case WaitQueue.Place.Standing.First() -> place.isNotified() ? FIRST_CHECKS : untilPoll();
      case WaitQueue.Place.Standing.BehindOthers(String _, int processes) -> shorter(PROGRESS_INTERVAL,
          Duration.ofMillis((place.isNotified() ? OTHERS_CHECK : OTHERS_POLL).toMillis() * processes));
      case WaitQueue.Place.Standing.BehindOwn() -> PROGRESS_INTERVAL;
    };
  }

  private Duration untilPoll() {
    Duration part = Duration.ofNanos(waited().toNanos() / POLL_FRACTION);
    return part.compareTo(FIRST_POLLS) < 0 ? FIRST_POLLS : shorter(part, FIRST_CHECKS);
  }

  private void sleep(Duration atMost) {
    Scheduler.Pending alarm = wait.scheduler().after(atMost.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : atMost,
        () -> {
          alarmed.set(true);
          wakeUp.signal();
        });
    wakeUp.await();
    alarm.cancel();
  }

  private Duration waited() {
    return Duration.ofNanos(time.nanos() - begun);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /**
   * The target of a wait.
   *
   * @param <T> the answer that ends a wait
   *
   * @param <B> the obstacle
   */
  public interface LockWait<T, B> {

    /** Requests the target; empty if a live holder blocks it, so that waiting is worthwhile. */
    Optional<T> attempt();

    /** Whether an attempt would be answered now. Changes nothing. */
    boolean isAvailable();

    /** The outcome of a wait that reached its limit. */
    WaitOutcome<T, B> atLimit();

    /** Reports that the wait continues. */
    void onWaiting(Duration waited, int position);
  }
}

package fleet.tower.lock.queue;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.wait.WakeUp;

/**
 * One who waits in line: sleeps, and when woken asks if it is his turn.
 *
 * <ol>
 * <li>Only the first asks for what all want. He is woken by whoever gives it back.
 * <li>Who stands behind his own process' waiters sleeps until they have gone on, and touches no file.
 * <li>Who stands behind other processes alone looks from time to time. Where those do not take what is to be had, because
 * they are stopped, he passes them over: after a second for each of them, so that those behind him stay behind.
 * </ol>
 *
 * The slow looks are for what nobody tells: a lease going stale, a process that died, a notice that was lost.
 */
public final class Waiter<T, B> {
  static final Duration BETWEEN_TELLINGS = Duration.ofSeconds(10);
  static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Duration FIRST_LOOKS = Duration.ofMillis(250);
  /** For each process before this one, so that all who wait together look about as often as the first few. */
  private static final Duration OTHERS_LOOK = Duration.ofMillis(500);
  /** Where nobody tells of changes: often at first, and later after each twentieth of the time waited. */
  private static final Duration FIRST_LOOKS_UNTOLD = Duration.ofMillis(15);
  private static final int PART_UNTOLD = 20;
  private static final Duration OTHERS_LOOK_UNTOLD = Duration.ofMillis(60);
  /** A timer may be a little early, and clocks have ticks. */
  private static final Duration SHORTEST_SLEEP = Duration.ofMillis(1);

  private final WaitQueue line;
  private final TimeSource time;
  private final Wait wait;
  private final LockWait<T, B> wanted;
  private final WakeUp bell = new WakeUp();
  private final AtomicBoolean alarmed = new AtomicBoolean();
  private final long begun;
  private Duration nextTelling = Duration.ZERO;
  private QueuePlace.@Nullable Standing passable;
  private long passableSince;

  public Waiter(WaitQueue line, TimeSource time, Wait wait, LockWait<T, B> wanted) {
    this.line = line;
    this.time = time;
    this.wait = wait;
    this.wanted = wanted;
    this.begun = time.nanos();
  }

  /** Waits until there is an answer, or time or patience are over; then it has left the line. */
  public WaitOutcome<T, B> await(LeaseName name, RequestId who) {
    try (var _ = wait.cancellation().on(bell::signal)) {
      return switch (line.join(name, who, bell)) {
        case WaitQueue.Joined.Full() -> new WaitOutcome.TooManyWaiters<>(WaitQueue.LIMIT);
        case WaitQueue.Joined.At(QueuePlace place) -> {
          try (place) {
            yield inLine(place);
          }
        }
      };
    }
  }

  private WaitOutcome<T, B> inLine(QueuePlace place) {
    for (;;) {
      if (wait.cancellation().isCancelled()) {
        return new WaitOutcome.Cancelled<>();
      }
      QueuePlace.Standing standing = place.standing(alarmed.getAndSet(false));
      tellIfDue(place);
      Optional<T> answer = mayAsk(standing) ? wanted.attempt() : Optional.empty();
      if (answer.isPresent()) {
        return new WaitOutcome.Answered<>(answer.get());
      }
      Duration waited = waited();
      if (waited.compareTo(wait.limit()) >= 0) {
        return wanted.atLimit();
      }
      sleep(shorter(shorter(wait.limit().minus(waited), nextTelling.minus(waited)), untilLook(standing, place)));
    }
  }

  private void tellIfDue(QueuePlace place) {
    Duration waited = waited();
    if (waited.compareTo(nextTelling) >= 0) {
      nextTelling = waited.plus(BETWEEN_TELLINGS);
      wanted.tell(waited, place.position());
    }
  }

  private boolean mayAsk(QueuePlace.Standing standing) {
    return switch (standing) {
      case QueuePlace.Standing.First() -> true;
      case QueuePlace.Standing.BehindOurs() -> false;
      case QueuePlace.Standing.BehindOthers others -> arePassable(others);
    };
  }

  /** Whether the same ones have stood before what is to be had, and not taken it, at every look for so long. */
  private boolean arePassable(QueuePlace.Standing.BehindOthers others) {
    if (!wanted.isToBeHad()) {
      passable = null;
      return false;
    }
    if (!others.equals(passable)) {
      passable = others;
      passableSince = time.nanos();
      return false;
    }
    return time.nanos() - passableSince > PATIENCE.toNanos() * others.processes();
  }

  private Duration untilLook(QueuePlace.Standing standing, QueuePlace place) {
    return switch (standing) {
      case QueuePlace.Standing.First() -> place.isToldOfChanges() ? FIRST_LOOKS : untilUntoldLook();
      case QueuePlace.Standing.BehindOthers(String _, int processes) -> shorter(BETWEEN_TELLINGS,
          (place.isToldOfChanges() ? OTHERS_LOOK : OTHERS_LOOK_UNTOLD).multipliedBy(processes));
      case QueuePlace.Standing.BehindOurs() -> BETWEEN_TELLINGS;
    };
  }

  private Duration untilUntoldLook() {
    Duration part = waited().dividedBy(PART_UNTOLD);
    return part.compareTo(FIRST_LOOKS_UNTOLD) < 0 ? FIRST_LOOKS_UNTOLD : shorter(part, FIRST_LOOKS);
  }

  private void sleep(Duration atMost) {
    Scheduler.Pending alarm = wait.scheduler().after(atMost.compareTo(SHORTEST_SLEEP) < 0 ? SHORTEST_SLEEP : atMost,
        () -> {
          alarmed.set(true);
          bell.signal();
        });
    bell.await();
    alarm.cancel();
  }

  private Duration waited() {
    return Duration.ofNanos(time.nanos() - begun);
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}

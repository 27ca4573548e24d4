package fleet.tower.foreign;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import fleet.tower.foreign.ForeignLocks.TakeOutcome;
import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;

/**
 * A wait for other tools' locks. Most of them report no release, so the wait tries again at short intervals. It waits
 * for every blocking state, also for one in doubt: a file that is just being written is in doubt for a moment.
 *
 * @param progress receives the obstacle when the wait begins, and every ten seconds while it lasts
 */
public record ForeignWait(Duration limit, TimeSource time, Scheduler scheduler, Progress progress,
    Cancellation cancellation) {
  public static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(250);
  private static final Duration BETWEEN_REPORTS = Duration.ofSeconds(10);

  /** Receives the state of a wait. */
  public interface Progress {
    void waiting(ForeignLock.Refusal refusal, Duration waited);
  }

  /** What remains of this wait if it began at a given moment. */
  public ForeignWait after(long begunNanos) {
    return new ForeignWait(limit.minusNanos(time.nanos() - begunNanos), time, scheduler, progress, cancellation);
  }

  /**
   * Repeats an attempt until it succeeds, the limit is reached, the wait is cancelled, or {@code isVain}.
   *
   * @param first the outcome of the attempt before
   */
  public TakeOutcome until(TakeOutcome first, Supplier<TakeOutcome> attempt, BooleanSupplier isVain) {
    long begun = time.nanos();
    WakeUp wakeUp = new WakeUp();
    TakeOutcome outcome = first;
    Duration nextReport = Duration.ZERO;
    try (var _ = cancellation.on(wakeUp::signal)) {
      while (outcome instanceof ForeignLocks.Refused(ForeignLock.Refusal refusal)) {
        Duration waited = Duration.ofNanos(time.nanos() - begun);
        Duration left = limit.minus(waited);
        if (!left.isPositive() || cancellation.isCancelled() || isVain.getAsBoolean()) {
          return outcome;
        }
        if (waited.compareTo(nextReport) >= 0) {
          progress.waiting(refusal, waited);
          nextReport = waited.plus(BETWEEN_REPORTS);
        }
        Scheduler.Pending next = scheduler.after(left.compareTo(BETWEEN_ATTEMPTS) < 0 ? left : BETWEEN_ATTEMPTS,
            wakeUp::signal);
        wakeUp.await();
        next.cancel();
        outcome = attempt.get();
      }
      return outcome;
    }
  }
}

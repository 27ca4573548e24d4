package fleet.tower.service.config.metrics;

import java.util.List;

import fleet.tower.lease.Decision;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.LockAnswers;
import fleet.tower.lock.queue.WaitOutcome;

/** What became of asking for a lock, in one word each: what was had, else the error code that the caller got. */
final class Outcomes {
  static final String UNAVAILABLE = "storage_unavailable";
  private static final String ACQUIRED = "acquired";
  private static final String STOLEN = "stolen";
  private static final String KEPT = "kept";
  private static final String TIMEOUT = "lock_wait_timeout";

  /** All that there are. */
  static final List<String> ALL = List.of(ACQUIRED, STOLEN, KEPT, "lock_blocked", "lock_stale", "lock_frozen",
      "lock_corrupt", "unsupported_lock_version", TIMEOUT, LockAnswers.TOO_MANY_WAITERS, LockAnswers.WITHDRAWN,
      UNAVAILABLE);

  private Outcomes() {}

  static String of(WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome, boolean hasWaited) {
    return switch (outcome) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> of(answer);
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> hasWaited ? TIMEOUT : LockAnswers.errorCode(obstacle);
      case WaitOutcome.Cancelled() -> LockAnswers.WITHDRAWN;
      case WaitOutcome.TooManyWaiters(int _) -> LockAnswers.TOO_MANY_WAITERS;
    };
  }

  private static String of(AcquireOutcome answer) {
    return switch (answer) {
      case AcquireOutcome.Granted granted -> granted.displaced() == null ? ACQUIRED : STOLEN;
      case AcquireOutcome.Kept _ -> KEPT;
      case AcquireOutcome.Refused(Decision.Refusal refusal) -> LockAnswers.errorCode(refusal);
      case AcquireOutcome.Undone _ -> UNAVAILABLE;
    };
  }
}

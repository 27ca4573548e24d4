package fleet.tower.service.config.metrics;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import fleet.tower.lease.Decision;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.RefusalKind;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.ErrorCode;

/** The outcomes of requests for locks in one word each; that of a refusal is its error code. */
final class Outcomes {
  static final String UNAVAILABLE = ErrorCode.STORAGE_UNAVAILABLE.code();
  private static final String ACQUIRED = "acquired";
  private static final String STOLEN = "stolen";
  private static final String KEPT = "kept";

  /** All labels. */
  static final List<String> ALL = Stream.concat(Stream.of(ACQUIRED, STOLEN, KEPT),
      Stream.concat(Arrays.stream(RefusalKind.values()).map(RefusalKind::code),
          Stream.of(ErrorCode.LOCK_WAIT_TIMEOUT, ErrorCode.TOO_MANY_WAITERS, ErrorCode.LOCK_REQUEST_WITHDRAWN,
              ErrorCode.STORAGE_UNAVAILABLE))
          .distinct().map(ErrorCode::code))
      .toList();

  private Outcomes() {}

  static String of(WaitOutcome<AcquireOutcome, Decision.Obstacle> outcome, boolean hasWaited) {
    return switch (outcome) {
      case WaitOutcome.Answered(AcquireOutcome answer) -> of(answer);
      case WaitOutcome.TimedOut(Decision.Obstacle obstacle) -> (hasWaited
          ? ErrorCode.LOCK_WAIT_TIMEOUT
          : RefusalKind.of(obstacle).code()).code();
      case WaitOutcome.Cancelled() -> ErrorCode.LOCK_REQUEST_WITHDRAWN.code();
      case WaitOutcome.TooManyWaiters(int _) -> ErrorCode.TOO_MANY_WAITERS.code();
    };
  }

  private static String of(AcquireOutcome answer) {
    return switch (answer) {
      case AcquireOutcome.Granted granted -> granted.previous() == null ? ACQUIRED : STOLEN;
      case AcquireOutcome.Kept _ -> KEPT;
      case AcquireOutcome.Refused(Decision.Refusal refusal) -> RefusalKind.of(refusal).code().code();
      case AcquireOutcome.Undone _ -> UNAVAILABLE;
    };
  }
}

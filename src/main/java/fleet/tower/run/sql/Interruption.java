package fleet.tower.run.sql;

import java.time.Duration;
import java.time.Instant;

import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;

/** The record of a run whose executor died. */
final class Interruption {
  private static final String NOTHING_UNDONE = "interrupted";

  private Interruption() {}

  /** @param stoppedAt when its running step ended */
  static Run of(Run run, Instant at, Instant stoppedAt) {
    boolean needsRollback = !run.begun().isEmpty()
        && run.progress().rollback().stream().noneMatch(StepRecord::hasBegun);
    return run.withProgress(progress -> progress.withEach(step -> interrupted(step, stoppedAt))
        .withRollbackSkipped(needsRollback ? NOTHING_UNDONE : progress.rollbackSkipped()))
        .finished(RunStatus.INTERRUPTED, at);
  }

  private static StepRecord interrupted(StepRecord step, Instant stoppedAt) {
    return switch (step.status()) {
      case PENDING -> step.ended(StepRecord.Status.SKIPPED, step.exitCode(), step.durationMillis(), step.note());
      case RUNNING -> step.ended(StepRecord.Status.INTERRUPTED, step.exitCode(), millis(step, stoppedAt), step.note());
      case SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, LOCK_LOST, SKIPPED, INTERRUPTED -> step;
    };
  }

  private static long millis(StepRecord step, Instant stoppedAt) {
    return step.startedAt() == null ? 0 : Math.max(0, Duration.between(step.startedAt(), stoppedAt).toMillis());
  }
}

package fleet.tower.run.sql;

import java.time.Instant;
import java.util.List;

import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;

/** What is left of a run whose executor died. */
final class Interruption {
  private static final String NOTHING_UNDONE = "interrupted";

  private Interruption() {}

  static Run of(Run run, Instant at) {
    Run.Progress progress = run.progress();
    boolean hasLeftSomething = !run.begun().isEmpty() && progress.rollback().stream().noneMatch(StepRecord::hasBegun);
    Run.Progress interrupted = new Run.Progress(all(progress.steps()), all(progress.rollback()),
        progress.failureStep(), hasLeftSomething ? NOTHING_UNDONE : progress.rollbackSkipped());
    return new Run(run.header(), RunStatus.INTERRUPTED, run.lock(), interrupted, run.warnings(), run.refusal(), at);
  }

  private static List<StepRecord> all(List<StepRecord> steps) {
    return steps.stream().map(Interruption::one).toList();
  }

  private static StepRecord one(StepRecord step) {
    return switch (step.status()) {
      case PENDING -> withStatus(step, StepRecord.Status.SKIPPED);
      case RUNNING -> withStatus(step, StepRecord.Status.INTERRUPTED);
      case SUCCEEDED, FAILED, TIMED_OUT, CANCELLED, LOCK_LOST, SKIPPED, INTERRUPTED -> step;
    };
  }

  private static StepRecord withStatus(StepRecord step, StepRecord.Status status) {
    return new StepRecord(step.name(), step.kind(), status, step.exitCode(), step.startedAt(), step.durationMillis(),
        step.note());
  }
}

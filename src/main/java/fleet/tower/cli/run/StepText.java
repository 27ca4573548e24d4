package fleet.tower.cli.run;

import java.time.Duration;

import fleet.tower.answer.LockText;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;

/** Prose about steps and waiting. */
final class StepText {
  private StepText() {}

  /** The name of a record, such as {@code step build} or {@code rollback of build}. */
  static String title(StepRecord step) {
    return switch (step.kind()) {
      case STEP -> "step " + step.name();
      case STEP_ROLLBACK -> "rollback of " + step.name();
      case RUN_ROLLBACK -> "rollback " + step.name();
    };
  }

  /** How it ended, such as {@code failed with exit code 3 after 1.2s}. */
  static String ending(StepRecord step) {
    StringBuilder ending = new StringBuilder(step.status().toString().replace('_', ' '));
    boolean isGood = step.status() == StepRecord.Status.SUCCEEDED;
    if (!isGood && step.note() != null) {
      ending.append(", ").append(step.note()).append(',');
    } else if (step.status() == StepRecord.Status.FAILED && step.exitCode() != null) {
      ending.append(" with exit code ").append(step.exitCode());
    }
    return ending.append(isGood ? " in " : " after ").append(time(step)).toString();
  }

  static String time(StepRecord step) {
    return TimeSpans.precise(Duration.ofMillis(step.durationMillis()));
  }

  /** What a run is waiting for. */
  static String waiting(RunHandle.Waiting waiting) {
    return switch (waiting) {
      case RunHandle.WaitingInLine(var lock, var obstacle, var waited, int position) ->
        "waiting for lock " + lock + " since " + TimeSpans.format(waited) + ": " + LockText.describe(obstacle) + "; "
            + (position == 0 ? "next in line" : position + " ahead of us in line");
      case RunHandle.WaitingForTool(var refusal, var waited) -> "waiting for foreign lock " + refusal.name() + " since "
          + TimeSpans.format(waited) + ": it is " + refusal.why().describe();
    };
  }
}

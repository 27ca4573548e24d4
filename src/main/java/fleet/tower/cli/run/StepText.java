package fleet.tower.cli.run;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

import fleet.tower.answer.ApprovalText;
import fleet.tower.answer.LockText;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.Run;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;

/** Prose about a step, from one of its events or from its entry in a run; and about waiting. */
record StepText(JsonObject step) {

  /** The step of an event, such as {@code step build} or {@code rollback of build}. */
  String title() {
    return title(text("step"), StepRecord.Kind.valueOf(text("kind").toUpperCase(Locale.ROOT)));
  }

  /** The name of a step of a kind. */
  static String title(String name, StepRecord.Kind kind) {
    return switch (kind) {
      case STEP -> "step " + name;
      case STEP_ROLLBACK -> "rollback of " + name;
      case RUN_ROLLBACK -> "rollback " + name;
    };
  }

  /** How it ended, such as {@code failed with exit code 3 after 1.2s}. */
  String ending() {
    String status = text("status").replace('_', ' ');
    if (isGood()) {
      return status + " in " + time();
    }
    Optional<String> note = step.text("note");
    boolean hasExitCode = is(StepRecord.Status.FAILED) && step.integer("exit_code").isPresent();
    return status + note.map(why -> ", " + why + ",")
        .orElse(hasExitCode ? " with exit code " + step.integer("exit_code").getAsLong() : "") + " after " + time();
  }

  boolean isGood() {
    return is(StepRecord.Status.SUCCEEDED);
  }

  private boolean is(StepRecord.Status status) {
    return text("status").equals(status.toString());
  }

  String time() {
    return TimeSpans.precise(Duration.ofMillis(step.integer("duration_ms").orElse(0)));
  }

  private String text(String key) {
    return step.text(key).orElse("");
  }

  /** Who must approve a run, and how. */
  static String awaiting(Run run) {
    return "run " + run.requestId() + " waits for " + ApprovalText.of(run) + "; show and approve it: "
        + ApprovalText.command(run.requestId());
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

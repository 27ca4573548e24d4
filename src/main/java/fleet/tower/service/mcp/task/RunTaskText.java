package fleet.tower.service.mcp.task;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import fleet.tower.answer.ApprovalText;
import fleet.tower.answer.LockText;
import fleet.tower.answer.PlanChange;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.platform.time.TimeSpans;
import fleet.tower.run.Run;
import fleet.tower.run.RunRefusal;
import fleet.tower.run.RunRefusalJson;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepRecord;
import fleet.tower.run.execute.RunHandle;

/** Prose about runs for models and for the progress display of clients. */
final class RunTaskText {
  private RunTaskText() {}

  /** The state of a run in a few words, such as {@code step 2 of 4: write_manifest}. */
  static String state(Run run, Optional<RunHandle.Waiting> waiting) {
    return switch (run.status()) {
      case AWAITING_APPROVAL -> awaiting(run);
      case WAITING -> waiting.map(RunTaskText::waiting).orElseGet(() -> waiting(run));
      case RUNNING -> running(run);
      case SUCCEEDED, FAILED, CANCELLED, TIMED_OUT, LOCK_LOST, INTERRUPTED, REFUSED -> ending(run);
    };
  }

  private static String awaiting(Run run) {
    return "waiting for " + ApprovalText.of(run) + "; ask a person: " + ApprovalText.command(run.requestId());
  }

  static String waiting(RunHandle.Waiting waiting) {
    return switch (waiting) {
      case RunHandle.WaitingInLine(var lock, var obstacle, var _, int before) ->
        ordinal(before + 1) + " in line for " + lock + ", " + LockText.describe(obstacle);
      case RunHandle.WaitingForTool(var refusal, var _) ->
        "waiting for foreign lock " + refusal.name() + ", " + refusal.why().describe();
    };
  }

  private static String waiting(Run run) {
    if (RunResults.isQueued(run)) {
      return "queued until an executor has room";
    }
    return run.header().lockName() == null ? "waiting" : "waiting for lock " + run.header().lockName();
  }

  static String ordinal(int number) {
    boolean isTeen = number / 10 % 10 == 1;
    return number + switch (isTeen ? 0 : number % 10) {
      case 1 -> "st";
      case 2 -> "nd";
      case 3 -> "rd";
      default -> "th";
    };
  }

  private static String running(Run run) {
    List<StepRecord> begun = run.begun();
    if (begun.isEmpty()) {
      return "before its first step";
    }
    return step(run, begun.getLast());
  }

  /** A step that has begun, such as {@code step 2 of 4: write_manifest}. */
  static String step(Run run, StepRecord step) {
    return step.kind() == StepRecord.Kind.STEP
        ? "step " + (run.progress().steps().indexOf(step) + 1) + " of " + run.progress().steps().size() + ": "
            + step.name()
        : "rolling back: " + step.name();
  }

  private static String ending(Run run) {
    return switch (run.status()) {
      case SUCCEEDED -> "succeeded" + after(run, " in ");
      case FAILED -> "failed" + place(run) + after(run, " after ");
      case REFUSED -> run.refusal() == null
          ? "was refused"
          : "was refused"
              + (run.refusal() instanceof RunRefusal.PlanChanged || run.refusal() instanceof RunRefusal.OfApproval
                  ? ""
                  : " after it had waited")
              + refusal(run.refusal(), run.intent());
      case CANCELLED -> run.begun().isEmpty() ? "was cancelled before its first step" : "was cancelled" + place(run);
      case TIMED_OUT -> "timed out" + place(run) + after(run, " after ");
      case LOCK_LOST -> "lost its lock and was stopped" + place(run);
      case INTERRUPTED -> run.begun().isEmpty()
          ? "was interrupted before its first step, because its executor died"
          : "was interrupted, because its executor died; how far it got is unknown";
      case AWAITING_APPROVAL, WAITING, RUNNING ->
        throw new IllegalStateException("run " + run.requestId() + " has not ended");
    };
  }

  private static String after(Run run, String before) {
    return run.finishedAt() == null
        ? ""
        : before + TimeSpans.precise(Duration.between(run.header().createdAt(), run.finishedAt()));
  }

  private static String place(Run run) {
    String step = run.progress().failureStep();
    return step == null
        ? ""
        : " at step " + step + run.progress().steps().stream()
            .filter(it -> it.name().equals(step) && it.status() == StepRecord.Status.FAILED && it.exitCode() != null)
            .map(it -> it.exitCode() == 0 ? ", because of its output" : " with exit code " + it.exitCode()).findFirst()
            .orElse("");
  }

  private static String refusal(RunRefusal refusal, String intent) {
    return switch (refusal) {
      case RunRefusal.IntentChanged(var _, String problem) -> ", because the intent has changed: " + problem;
      case RunRefusal.OfApproval approval -> ": " + approval.text();
      case RunRefusal.NotAllowed notAllowed -> ": " + notAllowed.text();
      case RunRefusal.PlanChanged change -> ": " + PlanChange.sentence(change, intent);
      case RunRefusal.Barred(var why) -> ", because it is " + LockText.describe(why);
      case RunRefusal.ForeignLocked(var foreign) ->
        ", because of foreign lock " + foreign.name() + ", " + foreign.why().describe();
      case RunRefusal.TimedOut(var obstacle) ->
        ", because lock " + obstacle.lock() + " was not free in time" + obstacle(obstacle);
      case RunRefusal.Obstacle obstacle -> ", because of lock " + obstacle.lock() + obstacle(obstacle);
      case RunRefusal.Stale stale -> ", because lock " + stale.lock() + " is stale" + heldBy(stale.holder());
      case RunRefusal.OfLock other ->
        ", because of lock " + other.lock() + " (" + RunRefusalJson.error(other) + ")";
      case RunRefusal.Unrecognized(String error, var _) -> " (" + error + ")";
    };
  }

  private static String obstacle(RunRefusal.Obstacle obstacle) {
    return switch (obstacle) {
      case RunRefusal.Blocked(var _, var holder) -> heldBy(holder);
      case RunRefusal.Frozen(var _, var freeze) -> ", frozen by " + VisibleText.quoted(freeze.actor()) + ": "
          + VisibleText.quoted(freeze.reason());
    };
  }

  private static String heldBy(RunRefusal.LockHolder holder) {
    return ", held by " + VisibleText.quoted(holder.actor()) + " (intent " + VisibleText.quoted(holder.intent())
        + ", request " + VisibleText.quoted(holder.requestId()) + ")";
  }

  /** One or two sentences about a run. */
  static String sentence(Run run, Optional<RunHandle.Waiting> waiting) {
    String name = "Run " + run.requestId() + " of " + run.intent() + " ";
    return switch (run.status()) {
      case AWAITING_APPROVAL, WAITING -> name + "has not begun: " + state(run, waiting) + ".";
      case RUNNING -> name + "is running: " + state(run, waiting) + ".";
      case SUCCEEDED, FAILED, CANCELLED, TIMED_OUT, LOCK_LOST, INTERRUPTED, REFUSED ->
        name + ending(run) + "." + (run.begun().isEmpty() && run.status() != RunStatus.SUCCEEDED
            ? " None of its steps has run."
            : undone(run));
    };
  }

  private static String undone(Run run) {
    List<StepRecord> pieces = run.progress().rollback();
    if (run.status() == RunStatus.INTERRUPTED && pieces.isEmpty()) {
      return " It was not rolled back.";
    }
    if (run.progress().rollbackSkipped() != null) {
      return (pieces.isEmpty() ? " It was not rolled back: " : " Its rollback stopped: ")
          + run.progress().rollbackSkipped() + ".";
    }
    if (pieces.isEmpty()) {
      return "";
    }
    List<String> failed = pieces.stream().filter(piece -> piece.status() != StepRecord.Status.SUCCEEDED)
        .map(StepRecord::name).toList();
    return failed.isEmpty()
        ? " It was rolled back."
        : " Its rollback is incomplete: " + String.join(", ", failed) + " failed.";
  }
}

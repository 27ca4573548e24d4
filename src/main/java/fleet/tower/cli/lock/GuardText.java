package fleet.tower.cli.lock;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.LockAnswers;
import fleet.tower.answer.LockJson;
import fleet.tower.answer.LockText;
import fleet.tower.answer.Remedies;
import fleet.tower.answer.Reply;
import fleet.tower.guard.Guard;
import fleet.tower.lease.Decision;
import fleet.tower.lease.Lease;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.queue.WaitOutcome;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.Console;

/** The messages of a guard, on stderr alone: stdout belongs to the command. */
record GuardText(Console console) implements Guard.Listener {

  @Override
  public void taken(Lease previous) {
    console.words("tower: " + LockText.taken(previous));
  }

  @Override
  public void heartbeatFailed(LeaseName name, int consecutiveFailures, String error) {
    console.words("tower: warning: heartbeat of lock " + name + " failed"
        + (consecutiveFailures == 1 ? "" : " " + consecutiveFailures + " times in a row") + ": " + error
        + "; trying again");
  }

  @Override
  public void notRenewed(LeaseName name, String error, boolean stopping) {
    console.words("tower: warning: lock " + name + " was not renewed in time: " + error
        + (stopping ? "; stopping the command" : "; others may take it soon; the command continues"));
  }

  @Override
  public void lost(LeaseName name, @Nullable Lease holder, boolean stopping) {
    console.words("tower: warning: lock " + name + " is lost: "
        + (holder == null ? "it is not held by anyone" : "held by " + holder.describeHolder())
        + (stopping ? "; stopping the command" : "; the command has run without it since"));
  }

  @Override
  public void halted(LeaseName name, Decision.Halted halt) {
    console.words("tower: warning: lock " + name + " is " + LockText.describe(halt) + "; stopping the command");
  }

  @Override
  public void notReleased(LeaseName name, String problem) {
    console.words("tower: warning: lock " + name + " could not be released and will go stale: " + problem);
  }

  @Override
  public void notReleased(LeaseName name, RuntimeException failure) {
    notReleased(name, Reply.of(failure).message());
  }

  /** The reply for a command that was not started because its lock was not acquired. */
  static Reply notAcquired(LeaseName name, WaitOutcome<AcquireOutcome, Decision.Obstacle> why,
      Instant now) {
    return switch (why) {
      case WaitOutcome.Answered<AcquireOutcome, ?>(AcquireOutcome outcome) -> refused(name, outcome, now);
      case WaitOutcome.TimedOut<?, Decision.Obstacle>(Decision.Obstacle obstacle) ->
        Reply.failure(ErrorCode.LOCK_WAIT_TIMEOUT,
            "lock " + name + " was not free in time: " + LockText.describe(obstacle),
            "", LockJson.waitedInVain(name, obstacle)).next(Remedies.timedOut(name, obstacle, now));
      case WaitOutcome.TooManyWaiters<?, ?>(int limit) -> Reply.failure(ErrorCode.TOO_MANY_WAITERS,
          limit + " requests already wait for lock " + name, "",
          JsonWriter.line().put("lock_name", name.value()).put("waiters", limit)).next(Remedies.crowded(name));
      case WaitOutcome.Cancelled<?, ?>() ->
        Reply.failure(ErrorCode.CANCELLED, "waiting for lock " + name + " was cancelled", "");
    };
  }

  private static Reply refused(LeaseName name, AcquireOutcome outcome, Instant now) {
    return switch (outcome) {
      case AcquireOutcome.Refused(Decision.Refusal refusal) ->
        Reply.of(LockAnswers.refused(name, refusal, null, now));
      case AcquireOutcome.Undone undone -> Reply.failure(ErrorCode.STORAGE_UNAVAILABLE,
          "lock " + name + " was not acquired: " + undone.error()
              + (undone.leftBehind() ? "; the attempt could not be undone, so the lock will go stale" : ""),
          "see `tower doctor`");
      case AcquireOutcome.Granted _,AcquireOutcome.Kept _ -> throw new IllegalStateException(
          "lock " + name + " was acquired, but its command was not started");
    };
  }
}

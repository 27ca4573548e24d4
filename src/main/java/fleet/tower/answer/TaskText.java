package fleet.tower.answer;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.task.Task;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;

/** Refusals of commands about tasks in words. */
public final class TaskText {
  private TaskText() {}

  /** The error code of a refusal. */
  public static ErrorCode code(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.IdTaken _ -> ErrorCode.TASK_EXISTS;
      case TaskOutcome.MissingDependencies _ -> ErrorCode.UNKNOWN_DEPENDENCY;
      case TaskOutcome.Contended _ -> ErrorCode.CLAIM_CONTENTION;
      case TaskOutcome.Unready _ -> ErrorCode.DEPENDENCIES_OPEN;
      case TaskOutcome.Finished _ -> ErrorCode.TASK_COMPLETED;
      case TaskOutcome.NotOwned _ -> ErrorCode.CLAIM_NOT_OWNED;
      case TaskOutcome.Unknown _ -> ErrorCode.TASK_NOT_FOUND;
      case TaskOutcome.KeyReused _ -> ErrorCode.IDEMPOTENCY_MISMATCH;
    };
  }

  /** The refusal in a sentence. */
  public static String message(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.IdTaken(Task.View seen) -> "task " + seen.task().id() + " already exists";
      case TaskOutcome.MissingDependencies(List<TaskId> missing) -> "it depends on " + joined(missing)
          + ", which " + (missing.size() == 1 ? "does" : "do") + " not exist";
      case TaskOutcome.Contended(Task.View seen) -> "task " + seen.task().id() + " is " + claimed(seen.task());
      case TaskOutcome.Unready(Task.View seen, List<TaskId> open) -> "task " + seen.task().id() + " depends on "
          + joined(open) + ", which " + (open.size() == 1 ? "is" : "are") + " not completed";
      case TaskOutcome.Finished(Task.View seen) -> "task " + seen.task().id() + " is completed";
      case TaskOutcome.NotOwned(Task.View seen, TaskOutcome.Reason reason) -> notOwned(seen.task(), reason);
      case TaskOutcome.Unknown(TaskId id) -> "there is no task " + id;
      case TaskOutcome.KeyReused reused -> "request id " + reused.requestId() + " was used before"
          + (reused.token() == null ? "" : " by " + token(reused.token())) + ", for " + reused.command() + " "
          + reused.arguments();
    };
  }

  private static String notOwned(Task task, TaskOutcome.Reason reason) {
    return "task " + task.id() + " is " + switch (reason) {
      case UNCLAIMED -> "not claimed; it is " + task.status();
      case EXPIRED -> "no longer yours: your claim, attempt " + task.attempt() + ", expired "
          + expiry(task).map(Timestamps::format).orElse("");
      case TAKEN -> claimed(task);
      case OTHER_ATTEMPT -> claimed(task) + ", which is not the attempt that you gave";
    };
  }

  private static String token(String name) {
    return "the token '" + name + "'";
  }

  private static String claimed(Task task) {
    Task.Claim claim = task.claim();
    return claim == null
        ? "not claimed"
        : "claimed by " + claim.agent() + (claim.token() == null ? "" : " of " + token(claim.token())) + " until "
            + Timestamps.format(claim.expiresAt()) + " (attempt "
            + task.attempt() + ")";
  }

  /** Whether a claim that is not the caller's used to be. */
  public static boolean isLoss(TaskOutcome.Reason reason) {
    return switch (reason) {
      case EXPIRED, OTHER_ATTEMPT -> true;
      case UNCLAIMED, TAKEN -> false;
    };
  }

  /** The seconds after which the same call may succeed; empty if waiting does not help. */
  public static OptionalLong retryAfterSeconds(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.Contended(Task.View seen) -> OptionalLong.of(seen.remaining().plusMillis(999).toSeconds());
      case TaskOutcome.IdTaken _,TaskOutcome.MissingDependencies _,TaskOutcome.Unready _,TaskOutcome.Finished _,TaskOutcome.NotOwned _,TaskOutcome.Unknown _,TaskOutcome.KeyReused _ ->
        OptionalLong.empty();
    };
  }

  /** Whether the claim that an answer is about is lost. */
  public static boolean isLost(JsonObject data) {
    return data.text("standing").filter("lost"::equals).isPresent();
  }

  /** The status of a task in a few words, from its JSON. */
  public static String standing(JsonObject task) {
    return task.text("claimed_by").map(agent -> "claimed by " + agent
        + (task.isTrue("claim_active") ? " until " : ", expired ")
        + task.text("claim_expires_at").orElse("") + " (attempt " + task.integer("attempt").orElse(0) + ")")
        .orElseGet(() -> task.text("status").orElse("")
            + task.text("blocked_reason").map(reason -> ": " + reason).orElse(""));
  }

  static Optional<Instant> expiry(Task task) {
    Task.Claim claim = task.claim();
    return claim == null ? Optional.empty() : Optional.of(claim.expiresAt());
  }

  private static String joined(List<TaskId> ids) {
    return String.join(", ", ids.stream().map(TaskId::value).toList());
  }
}

package fleet.tower.service.call.task;

import java.util.List;

import fleet.tower.answer.Problem;
import fleet.tower.answer.TaskActions;
import fleet.tower.answer.TaskJson;
import fleet.tower.answer.TaskText;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;

/** Translates refusals about tasks to problems. */
public final class TaskProblems {
  private TaskProblems() {}

  static Problem of(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    Problem problem = Problem.of(TaskText.code(refusal), TaskText.message(refusal),
        TaskJson.context(refusal, call).put("suggestion", TaskText.suggestion(refusal, call)));
    TaskText.retryAfterSeconds(refusal)
        .ifPresent(seconds -> problem.header("Retry-After", Long.toString(seconds)));
    return problem.next(TaskActions.of(refusal, call));
  }

  /** Unknown task, in a call that changes nothing. */
  public static Problem unknown(TaskId id) {
    TaskOutcome.Refusal refusal = new TaskOutcome.Unknown(id);
    return Problem.of(TaskText.code(refusal), TaskText.message(refusal),
        JsonWriter.line().put("task_id", id.value()).put("suggestion", "tower task list"))
        .next(List.of(TaskActions.list()));
  }
}

package fleet.tower.answer;

import java.util.List;
import java.util.Map;

import fleet.tower.operation.TaskCallOutcome;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;

/** What came of requests about tasks, as answers. */
public final class TaskAnswers {
  private TaskAnswers() {}

  /** The answer to a request. */
  static Answer of(TaskCallOutcome result) {
    return switch (result) {
      case TaskCallOutcome.Changed(TaskOutcome outcome, TaskCommand.Call call) -> changed(outcome, call);
      case TaskCallOutcome.NoIntent(var why, var accepts) -> IntentProblems.of(why, accepts);
      case TaskCallOutcome.Unfit(var why, String intent) -> IntentProblems.of(why, intent);
      case TaskCallOutcome.Viewed(TaskId id, Task task) -> task == null ? unknown(id) : Answer.ok(TaskJson.task(task));
      case TaskCallOutcome.Listed(var page, var rows) -> new Answer.Listing("tasks", JsonWriter.line(), page,
          reader -> rows.read(row -> reader.test(row.as(TaskJson::task))));
      case TaskCallOutcome.Events(var rows) -> new Answer.Listing("events", JsonWriter.line(), null,
          reader -> rows.read(event -> reader.test(new Placed<>(TaskJson.event(event), Cursor.of(event.id())))));
    };
  }

  private static Answer changed(TaskOutcome outcome, TaskCommand.Call call) {
    return switch (outcome) {
      case TaskOutcome.Done done when done.replayed() -> replayed(TaskJson.done(done));
      case TaskOutcome.Done done -> done.event().kind() == TaskEvent.Kind.TASK_CREATED
          ? Answer.created(TaskJson.done(done))
          : Answer.ok(TaskJson.done(done));
      case TaskOutcome.Idle _ -> Answer.ok(TaskJson.idle());
      case TaskOutcome.Unclaimed unclaimed -> Answer.ok(TaskJson.unclaimed(unclaimed));
      case TaskOutcome.Expired swept -> swept.replayed()
          ? replayed(TaskJson.swept(swept))
          : Answer.ok(TaskJson.swept(swept));
      case TaskOutcome.Refusal refusal -> refused(refusal, call);
    };
  }

  private static Answer replayed(JsonWriter data) {
    return new Answer.Done(Answer.OK, Map.of("Idempotency-Replayed", "true"), data);
  }

  private static Problem refused(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    Problem problem = Problem.of(TaskText.code(refusal), TaskText.message(refusal),
        TaskJson.context(refusal, call).put("suggestion", TaskRemedies.suggestion(refusal, call)));
    TaskText.retryAfterSeconds(refusal)
        .ifPresent(seconds -> problem.header("Retry-After", Long.toString(seconds)));
    return problem.next(TaskRemedies.of(refusal, call));
  }

  /** There is no such task. */
  public static Problem unknown(TaskId id) {
    TaskOutcome.Refusal refusal = new TaskOutcome.Unknown(id);
    return Problem.of(TaskText.code(refusal), TaskText.message(refusal),
        JsonWriter.line().put("task_id", id.value()).put("suggestion", TaskRemedies.list().why()))
        .next(List.of(TaskRemedies.list()));
  }
}

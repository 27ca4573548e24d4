package fleet.tower.service.web.task;

import java.util.List;

import fleet.tower.cli.reply.TaskJson;
import fleet.tower.cli.reply.TaskText;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.web.http.Problem;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStatus;

/** Translates refusals about tasks to HTTP. */
final class TaskProblems {
  private static final String GET = "GET";
  private static final String POST = "POST";
  private static final String TASKS = "/tasks";

  private TaskProblems() {}

  static Problem of(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    Problem problem = Problem.of(TaskText.code(refusal), TaskText.message(refusal),
        TaskJson.context(refusal, call).put("suggestion", TaskText.suggestion(refusal, call)));
    TaskText.retryAfterSeconds(refusal)
        .ifPresent(seconds -> problem.header("Retry-After", Long.toString(seconds)));
    return next(problem, refusal, " --agent " + call.agent() + " --request-id NEW");
  }

  /** Unknown task, in a call that changes nothing. */
  static Problem unknown(TaskId id) {
    TaskOutcome.Refusal refusal = new TaskOutcome.Unknown(id);
    return next(Problem.of(TaskText.code(refusal), TaskText.message(refusal),
        JsonWriter.line().put("task_id", id.value()).put("suggestion", "tower task list")), refusal, "");
  }

  private static Problem next(Problem problem, TaskOutcome.Refusal refusal, String who) {
    return switch (refusal) {
      case TaskOutcome.IdTaken(Task.Sighting seen) -> look(problem, seen.task().id(), "see it");
      case TaskOutcome.MissingDependencies _,TaskOutcome.Unknown _ -> problem.next(GET, TASKS, "tower task list",
          "list the tasks");
      case TaskOutcome.Contended(Task.Sighting seen) -> start(another(problem, who), seen.task().id(), who,
          "when its claim has expired");
      case TaskOutcome.Unready(Task.Sighting _, List<TaskId> open) -> look(problem, open.getFirst(),
          "see what it waits for");
      case TaskOutcome.Finished(Task.Sighting seen) -> history(problem, seen.task().id());
      case TaskOutcome.NotOwned(Task.Sighting seen, TaskOutcome.Reason reason) -> switch (reason) {
        case UNCLAIMED -> seen.task().status() == TaskStatus.COMPLETED
            ? history(problem, seen.task().id())
            : start(problem, seen.task().id(), who, "claim it again");
        case EXPIRED -> start(problem, seen.task().id(), who, "claim it again");
        case TAKEN, OTHER_ATTEMPT -> another(problem, who);
      };
      case TaskOutcome.KeyReused _ -> problem;
    };
  }

  private static Problem look(Problem problem, TaskId id, String why) {
    return problem.next(GET, TASKS + "/" + id, "tower task get " + id, why);
  }

  private static Problem history(Problem problem, TaskId id) {
    return problem.next(GET, TASKS + "/" + id + "/events", "tower task events " + id, "see who completed it");
  }

  private static Problem start(Problem problem, TaskId id, String who, String why) {
    return problem.next(POST, TASKS + "/" + id + "/start", "tower task start " + id + who, why);
  }

  private static Problem another(Problem problem, String who) {
    return problem.next(POST, TASKS + "/claim", "tower task claim" + who, "claim another task");
  }
}

package fleet.tower.service.web.task;

import java.util.List;

import org.springframework.http.HttpStatus;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.web.http.Problem;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskJson;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStatus;

/** Why a command about a task was refused, as HTTP. */
final class TaskProblems {
  private static final String GET = "GET";
  private static final String POST = "POST";
  private static final String TASKS = "/tasks";

  private TaskProblems() {}

  static Problem of(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    JsonWriter members = JsonWriter.line().put("error", TaskJson.errorCode(refusal))
        .members(TaskJson.context(refusal, call)).put("suggestion", TaskJson.suggestion(refusal, call));
    Problem problem = Problem.of(status(refusal), TaskJson.message(refusal), members);
    TaskJson.retryAfterSeconds(refusal)
        .ifPresent(seconds -> problem.header("Retry-After", Long.toString(seconds)));
    return next(problem, refusal, " --agent " + call.agent() + " --request-id NEW");
  }

  /** Nobody asked for a change; there is just no such task. */
  static Problem unknown(TaskId id) {
    TaskOutcome.Refusal refusal = new TaskOutcome.Unknown(id);
    return next(Problem.of(status(refusal), TaskJson.message(refusal), JsonWriter.line()
        .put("error", TaskJson.errorCode(refusal)).put("task_id", id.value()).put("suggestion", "tower task list")),
        refusal, "");
  }

  private static HttpStatus status(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.Contended _,TaskOutcome.Unready _,TaskOutcome.Finished _,TaskOutcome.NotOwned _,TaskOutcome.IdTaken _ ->
        HttpStatus.CONFLICT;
      case TaskOutcome.Unknown _ -> HttpStatus.NOT_FOUND;
      case TaskOutcome.KeyReused _,TaskOutcome.MissingDependencies _ -> HttpStatus.UNPROCESSABLE_CONTENT;
    };
  }

  private static Problem next(Problem problem, TaskOutcome.Refusal refusal, String who) {
    return switch (refusal) {
      case TaskOutcome.IdTaken(Task.Sighting seen) -> look(problem, seen.task().id(), "see it");
      case TaskOutcome.MissingDependencies _,TaskOutcome.Unknown _ -> problem.next(GET, TASKS, "tower task list",
          "see which there are");
      case TaskOutcome.Contended(Task.Sighting seen) -> start(another(problem, who), seen.task().id(), who,
          "when its claim has expired");
      case TaskOutcome.Unready(Task.Sighting _, List<TaskId> open) -> look(problem, open.getFirst(),
          "see what it waits for");
      case TaskOutcome.Finished(Task.Sighting seen) -> history(problem, seen.task().id());
      case TaskOutcome.NotOwned(Task.Sighting seen, TaskOutcome.Reason reason) -> switch (reason) {
        case UNCLAIMED -> seen.task().status() == TaskStatus.COMPLETED
            ? history(problem, seen.task().id())
            : start(problem, seen.task().id(), who, "take it anew");
        case EXPIRED -> start(problem, seen.task().id(), who, "take it anew");
        case TAKEN, OTHER_ATTEMPT -> another(problem, who);
      };
      case TaskOutcome.KeyReused _ -> problem;
    };
  }

  private static Problem look(Problem problem, TaskId id, String why) {
    return problem.next(GET, TASKS + "/" + id, "tower task get " + id, why);
  }

  private static Problem history(Problem problem, TaskId id) {
    return problem.next(GET, TASKS + "/" + id + "/events", "tower task events " + id, "see who has done it");
  }

  private static Problem start(Problem problem, TaskId id, String who, String why) {
    return problem.next(POST, TASKS + "/" + id + "/start", "tower task start " + id + who, why);
  }

  private static Problem another(Problem problem, String who) {
    return problem.next(POST, TASKS + "/claim", "tower task claim" + who, "take another");
  }
}

package fleet.tower.answer;

import java.util.List;
import java.util.stream.Collectors;

import fleet.tower.answer.Remedy.Change;
import fleet.tower.operation.Given;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStatus;

/** The remedies that help after refusals about tasks, the same at both doors. */
public final class TaskRemedies {
  private TaskRemedies() {}

  /** The remedies after a refusal. */
  public static List<Remedy> of(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    return switch (refusal) {
      case TaskOutcome.IdTaken(var seen) -> List.of(look(seen.task().id(), "see it"));
      case TaskOutcome.MissingDependencies _,TaskOutcome.Unknown _ -> List.of(list());
      case TaskOutcome.Contended(var seen) -> List.of(another(call, "claim another task"),
          start(seen.task().id(), call, "claim it " + TaskText.expiry(seen.task())
              .map(end -> "after " + Timestamps.format(end)).orElse("when it is released")));
      case TaskOutcome.Unready(var _, List<TaskId> open) -> List.of(look(open.getFirst(), "see what it waits for"));
      case TaskOutcome.Finished(var seen) -> List.of(history(seen.task().id()));
      case TaskOutcome.NotOwned(var seen, TaskOutcome.Reason reason) -> switch (reason) {
        case UNCLAIMED -> List.of(seen.task().status() == TaskStatus.COMPLETED
            ? history(seen.task().id())
            : start(seen.task().id(), call, "claim it again"));
        case EXPIRED -> List.of(start(seen.task().id(), call, "stop the work, then claim it again"));
        case TAKEN, OTHER_ATTEMPT ->
          List.of(another(call, "stop working: another agent has the task; claim another one"));
      };
      case TaskOutcome.KeyReused _ -> List.of(Remedy.again("send it as another request", new Change.NewId()));
    };
  }

  /** What the remedies do, in words. */
  static String suggestion(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    return refusal instanceof TaskOutcome.KeyReused
        ? "use a new request id; the old one only repeats its answer"
        : of(refusal, call).stream().map(Remedy::why).collect(Collectors.joining("; or "));
  }

  /** The list of the tasks. */
  public static Remedy list() {
    return Remedy.ask(TaskOperations.LIST, Given.NOTHING, "list the tasks");
  }

  private static Remedy look(TaskId id, String why) {
    return Remedy.ask(TaskOperations.VIEW, task(id), why);
  }

  private static Remedy history(TaskId id) {
    return Remedy.ask(TaskOperations.EVENTS, task(id), "see who completed it");
  }

  private static Remedy start(TaskId id, TaskCommand.Call call, String why) {
    return Remedy.ask(TaskOperations.START, by(call).with(TaskOperations.ID, id.value()), why);
  }

  private static Remedy another(TaskCommand.Call call, String why) {
    return Remedy.ask(TaskOperations.CLAIM, by(call), why);
  }

  private static Given task(TaskId id) {
    return Given.NOTHING.with(TaskOperations.ID, id.value());
  }

  private static Given by(TaskCommand.Call call) {
    return Given.NOTHING.with(TaskOperations.WORKER, call.agent().name())
        .with(TaskOperations.REQUEST_ID, NextAction.NEW);
  }
}

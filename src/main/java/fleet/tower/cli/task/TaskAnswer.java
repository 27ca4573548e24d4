package fleet.tower.cli.task;

import static java.util.Objects.requireNonNull;

import java.util.List;

import fleet.tower.cli.reply.RemoteRefusal;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskJson;
import fleet.tower.task.TaskOutcome;

/** What a {@link TaskClient} answers, each with what programs are told as JSON. */
public sealed interface TaskAnswer {

  /**
   * It is done, now or, when it is {@code replayed}, before.
   *
   * @param task as it is now
   * @param attempt of the claim that the command was about; 0 for none
   */
  record Done(String json, Task task, long attempt, boolean replayed, TaskOutcome.Standing standing)
      implements
        TaskAnswer {
    public Done {
      requireNonNull(json);
      requireNonNull(task);
      requireNonNull(standing);
    }
  }

  /** There is no task to be had now. */
  record Idle(String json) implements TaskAnswer {}

  /** There was no claim to give back. */
  record Unclaimed(String json, Task task) implements TaskAnswer {}

  /** Expired claims were taken away. */
  record Swept(String json, List<TaskId> tasks, boolean replayed) implements TaskAnswer {
    public Swept {
      tasks = List.copyOf(tasks);
    }
  }

  /** It was refused, and nothing has changed; {@code code} is the error code. */
  record Refused(String code, Reply reply) implements TaskAnswer {}

  /** The answer made of an outcome. */
  static TaskAnswer of(TaskOutcome outcome, TaskCommand.Call call) {
    return switch (outcome) {
      case TaskOutcome.Done done -> new Done(TaskJson.done(done).end(), done.seen().task(),
          done.event().about().attempt(), done.replayed(), done.standing());
      case TaskOutcome.Idle _ -> new Idle(TaskJson.idle().end());
      case TaskOutcome.Unclaimed unclaimed ->
        new Unclaimed(TaskJson.unclaimed(unclaimed).end(), unclaimed.seen().task());
      case TaskOutcome.Swept swept -> new Swept(TaskJson.swept(swept).end(),
          swept.events().stream().map(event -> event.taskId()).toList(), swept.replayed());
      case TaskOutcome.Refusal refusal -> new Refused(TaskJson.errorCode(refusal), reply(refusal, call));
    };
  }

  private static Reply reply(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    return Reply.failure(exit(refusal), TaskJson.errorCode(refusal), TaskJson.message(refusal),
        TaskJson.suggestion(refusal, call), TaskJson.context(refusal, call));
  }

  private static Exit exit(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.Contended _,TaskOutcome.Unready _ -> Exit.HELD;
      case TaskOutcome.Unknown _,TaskOutcome.MissingDependencies _ -> Exit.NOT_FOUND;
      case TaskOutcome.NotOwned(var _, TaskOutcome.Reason reason) -> TaskJson.isLoss(reason)
          ? Exit.LOST
          : Exit.NOT_OWNER;
      case TaskOutcome.KeyReused _ -> Exit.USAGE;
      case TaskOutcome.IdTaken _,TaskOutcome.Finished _ -> Exit.FAILED;
    };
  }

  /** There is no such task. */
  static RemoteRefusal unknown(TaskId id) {
    TaskOutcome.Refusal refusal = new TaskOutcome.Unknown(id);
    String code = TaskJson.errorCode(refusal);
    return new RemoteRefusal(code,
        Reply.failure(Exit.NOT_FOUND, code, TaskJson.message(refusal), "see `tower task list`",
            JsonWriter.line().put("task_id", id.value())));
  }
}

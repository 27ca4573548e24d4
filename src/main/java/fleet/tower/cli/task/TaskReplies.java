package fleet.tower.cli.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.answer.Failures;
import fleet.tower.answer.RemoteRefusal;
import fleet.tower.answer.Reply;
import fleet.tower.answer.Table;
import fleet.tower.answer.TaskActions;
import fleet.tower.answer.TaskJson;
import fleet.tower.answer.TaskText;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.Exit;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;

/** Tasks and the outcomes of commands about them, as answers of commands. */
public final class TaskReplies {
  private TaskReplies() {}

  static Reply reply(TaskOutcome outcome, TaskCommand.Call call, TaskCommand command) {
    return switch (outcome) {
      case TaskOutcome.Done done -> done(done, command);
      case TaskOutcome.Idle _ -> Reply.of(Exit.NOT_FOUND, TaskJson.idle()).words("no task is available now");
      case TaskOutcome.Unclaimed unclaimed -> Reply.of(Exit.DONE, TaskJson.unclaimed(unclaimed))
          .words("task " + unclaimed.seen().task().id() + " is not claimed; nothing was released");
      case TaskOutcome.Expired swept -> swept(swept);
      case TaskOutcome.Refusal refusal -> refused(refusal, call);
    };
  }

  /** The answer to a command that was refused. */
  public static Reply refused(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    Reply reply = Failures.of(TaskText.code(refusal), TaskText.message(refusal), TaskText.suggestion(refusal, call),
        TaskJson.context(refusal, call)).next(TaskActions.of(refusal, call));
    return refusal instanceof TaskOutcome.NotOwned(var _, TaskOutcome.Reason reason) && TaskText.isLoss(reason)
        ? reply.ending(Exit.LOST)
        : reply;
  }

  /** The answer to a query for a task that does not exist. */
  static RemoteRefusal unknown(TaskId id) {
    TaskOutcome.Refusal refusal = new TaskOutcome.Unknown(id);
    ErrorCode code = TaskText.code(refusal);
    return new RemoteRefusal(code, Failures.of(code, TaskText.message(refusal), "see `tower task list`",
        JsonWriter.line().put("task_id", id.value())));
  }

  private static Reply done(TaskOutcome.Done done, TaskCommand command) {
    Task task = done.seen().task();
    String replayed = replay(done.replayed());
    if (done.standing() == TaskOutcome.Standing.LOST) {
      return Reply.of(Exit.LOST, TaskJson.done(done))
          .words("tower: task " + task.id() + " is lost: attempt " + done.event().about().attempt()
              + " was yours; now it is " + standing(task) + replayed)
          .words("  stop the work and claim another task: tower task claim");
    }
    Reply reply = Reply.of(Exit.DONE, TaskJson.done(done));
    return switch (command) {
      case TaskCommand.Create _ -> reply.data(task.id().value()).words("task " + task.id() + " created" + replayed);
      case TaskCommand.Claim _,TaskCommand.Resume _,TaskCommand.Start _ -> reply.data(task.id().value())
          .words("task " + task.id() + " is " + standing(task) + ": " + task.spec().title() + replayed);
      case TaskCommand.Heartbeat _,TaskCommand.Close _,TaskCommand.Release _,TaskCommand.Expire _ -> reply
          .words("task " + task.id() + " is " + standing(task) + replayed);
    };
  }

  private static Reply swept(TaskOutcome.Expired swept) {
    Reply reply = Reply.of(Exit.DONE, TaskJson.swept(swept));
    List<TaskEvent> events = swept.events();
    events.forEach(event -> reply.data(event.taskId().value()));
    return reply.words((events.isEmpty()
        ? "no claim has expired"
        : events.size() + (events.size() == 1 ? " expired claim" : " expired claims") + " removed")
        + replay(swept.replayed()));
  }

  private static String replay(boolean replayed) {
    return replayed ? "; this request was repeated; nothing was done again" : "";
  }

  /** The status of a task in a few words. */
  static String standing(Task task) {
    Task.Claim claim = task.claim();
    if (claim != null) {
      return "claimed by " + claim.agent() + (claim.isActive() ? " until " : ", expired ")
          + Timestamps.format(claim.expiresAt()) + " (attempt " + task.attempt() + ")";
    }
    String reason = task.blockedReason();
    return task.status() + (reason == null ? "" : ": " + reason);
  }

  /** One task with all its details. */
  static Reply one(Reply reply, Task task) {
    TaskSpec spec = task.spec();
    reply.data(task.id() + ": " + standing(task)).data("  title       " + spec.title());
    if (!spec.description().isEmpty()) {
      spec.description().lines().forEach(line -> reply.data("              " + line));
    }
    reply.data("  priority    " + spec.priority());
    if (spec.project() != null) {
      reply.data("  project     " + spec.project());
    }
    if (!spec.dependsOn().isEmpty()) {
      reply.data("  depends on  " + String.join(", ", spec.dependsOn().stream().map(TaskId::value).toList()));
    }
    if (spec.assignee() != null) {
      reply.data("  assigned    " + spec.assignee());
    }
    TaskSpec.Work work = spec.work();
    if (work != null) {
      reply.data("  intent      " + work.intent() + " " + work.params());
    }
    Task.Claim claim = task.claim();
    if (claim != null) {
      reply.data("  claimed at  " + Timestamps.format(claim.claimedAt()))
          .data("  heartbeat   " + Timestamps.format(claim.lastHeartbeatAt()));
    }
    return reply.data("  attempts    " + task.attempt())
        .data("  created     " + Timestamps.format(task.origin().createdAt()) + " by " + task.origin().createdBy());
  }

  /** Tasks as a table. */
  static List<String> table(List<Task> tasks) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("TASK", "STATUS", "PRIORITY", "PROJECT", "CLAIMED BY", "UNTIL", "ATTEMPT", "TITLE"));
    tasks.forEach(task -> rows.add(row(task)));
    return Table.lines(rows);
  }

  private static List<String> row(Task task) {
    Optional<Task.Claim> claim = Optional.ofNullable(task.claim());
    boolean isExpired = claim.isPresent() && !claim.get().isActive();
    return List.of(task.id().value(),
        isExpired && task.status() == TaskStatus.IN_PROGRESS ? task.status() + ",expired" : task.status().toString(),
        Integer.toString(task.spec().priority()), Optional.ofNullable(task.spec().project()).orElse(""),
        claim.map(it -> it.agent().name()).orElse(""),
        claim.map(it -> Timestamps.format(it.expiresAt())).orElse(""), Long.toString(task.attempt()),
        task.spec().title());
  }

  /** An event as one line. */
  static String line(TaskEvent event) {
    String owner = Optional.ofNullable(event.about().owner()).filter(it -> !it.equals(event.by().agent()))
        .map(it -> " of " + it).orElse("");
    return event.id() + "  " + Timestamps.format(event.at()) + "  " + event.kind() + owner
        + (event.about().attempt() == 0 ? "" : " (attempt " + event.about().attempt() + ")") + " by "
        + event.by().agent() + (event.detail().equals("{}") ? "" : " " + event.detail());
  }
}

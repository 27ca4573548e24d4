package fleet.tower.cli.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import fleet.tower.cli.reply.Table;
import fleet.tower.cli.shell.Exit;
import fleet.tower.cli.shell.Reply;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;

/** Tasks and what became of them, as the command line tells it. */
final class TaskReplies {
  private TaskReplies() {}

  static Reply reply(TaskAnswer answer, TaskCommand command) {
    return switch (answer) {
      case TaskAnswer.Done done -> done(done, command);
      case TaskAnswer.Idle(String json) -> Reply.ofJson(Exit.DONE, json).words("there is no task to be had now");
      case TaskAnswer.Unclaimed(String json, Task task) -> Reply.ofJson(Exit.DONE, json)
          .words("task " + task.id() + " is claimed by nobody; nothing was released");
      case TaskAnswer.Swept(String json, List<TaskId> tasks, boolean replayed) -> swept(json, tasks, replayed);
      case TaskAnswer.Refused(var _, Reply reply) -> reply;
    };
  }

  private static Reply done(TaskAnswer.Done done, TaskCommand command) {
    Task task = done.task();
    String replayed = done.replayed() ? "; this request came before, and nothing was done anew" : "";
    if (done.standing() == TaskOutcome.Standing.LOST) {
      return Reply.ofJson(Exit.LOST, done.json())
          .words("tower: task " + task.id() + " is lost: attempt " + done.attempt() + " was yours, and now it is "
              + standing(task) + replayed)
          .words("  stop the work, and take another: tower task claim");
    }
    Reply reply = Reply.ofJson(Exit.DONE, done.json());
    return switch (command) {
      case TaskCommand.Create _ -> reply.data(task.id().value()).words("task " + task.id() + " is made" + replayed);
      case TaskCommand.Claim _,TaskCommand.Resume _,TaskCommand.Start _ -> reply.data(task.id().value())
          .words("task " + task.id() + " is " + standing(task) + ": " + task.brief().title() + replayed);
      case TaskCommand.Heartbeat _,TaskCommand.Close _,TaskCommand.Release _,TaskCommand.Sweep _ -> reply
          .words("task " + task.id() + " is " + standing(task) + replayed);
    };
  }

  private static Reply swept(String json, List<TaskId> tasks, boolean replayed) {
    Reply reply = Reply.ofJson(Exit.DONE, json);
    tasks.forEach(task -> reply.data(task.value()));
    String replay = replayed ? "; this request came before, and nothing was done anew" : "";
    return reply.words((tasks.isEmpty()
        ? "no claim has expired"
        : tasks.size() + (tasks.size() == 1 ? " claim that had" : " claims that had") + " expired taken away")
        + replay);
  }

  /** How a task stands, in a few words. */
  static String standing(Task task) {
    Task.Claim claim = task.claim();
    if (claim != null) {
      return "claimed by " + claim.agent() + (claim.isActive() ? " until " : ", expired ")
          + Timestamps.format(claim.expiresAt()) + " (attempt " + task.attempt() + ")";
    }
    String reason = task.blockedReason();
    return task.status() + (reason == null ? "" : ": " + reason);
  }

  /** One task with all there is to say about it. */
  static Reply one(Reply reply, Task task) {
    TaskSpec brief = task.brief();
    reply.data(task.id() + ": " + standing(task)).data("  title       " + brief.title());
    if (!brief.description().isEmpty()) {
      brief.description().lines().forEach(line -> reply.data("              " + line));
    }
    reply.data("  priority    " + brief.priority());
    if (brief.project() != null) {
      reply.data("  project     " + brief.project());
    }
    if (!brief.dependsOn().isEmpty()) {
      reply.data("  depends on  " + String.join(", ", brief.dependsOn().stream().map(TaskId::value).toList()));
    }
    if (brief.assignee() != null) {
      reply.data("  assigned    " + brief.assignee());
    }
    TaskSpec.Work work = brief.work();
    if (work != null) {
      reply.data("  intent      " + work.intent() + " " + work.params());
    }
    Task.Claim claim = task.claim();
    if (claim != null) {
      reply.data("  claimed at  " + Timestamps.format(claim.claimedAt()))
          .data("  heartbeat   " + Timestamps.format(claim.lastHeartbeatAt()));
    }
    return reply.data("  attempts    " + task.attempt())
        .data("  made        " + Timestamps.format(task.origin().createdAt()) + " by " + task.origin().createdBy());
  }

  /** Tasks under each other. */
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
        Integer.toString(task.brief().priority()), Optional.ofNullable(task.brief().project()).orElse(""),
        claim.map(it -> it.agent().name()).orElse(""),
        claim.map(it -> Timestamps.format(it.expiresAt())).orElse(""), Long.toString(task.attempt()),
        task.brief().title());
  }

  /** An event in a line. */
  static String line(TaskEvent event) {
    String owner = Optional.ofNullable(event.about().owner()).filter(it -> !it.equals(event.by().agent()))
        .map(it -> " of " + it).orElse("");
    return event.id() + "  " + Timestamps.format(event.at()) + "  " + event.kind() + owner
        + (event.about().attempt() == 0 ? "" : " (attempt " + event.about().attempt() + ")") + " by "
        + event.by().agent() + (event.detail().equals("{}") ? "" : " " + event.detail());
  }
}

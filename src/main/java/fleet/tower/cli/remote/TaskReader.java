package fleet.tower.cli.remote;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;

/** Reads tasks, their events and the outcomes of commands from the JSON of a service. */
final class TaskReader {
  private TaskReader() {}

  static Task task(JsonObject json) {
    String status = text(json, "status");
    return new Task(new TaskId(text(json, "id")), spec(json),
        TaskStatus.of(status)
            .orElseThrow(() -> new IllegalStateException("the service returned a task with status " + status)),
        json.text("blocked_reason").orElse(null), claim(json), number(json, "attempt"),
        new Task.Origin(new Agent(text(json, "created_by")), moment(json, "created_at"), number(json, "version")));
  }

  /**
   * The outcome of a command. An answer names its event by the id and the attempt only; the rest of the event is taken
   * from the call.
   */
  static TaskOutcome outcome(JsonObject json, TaskCommand.Call call, TaskCommand command) {
    boolean replayed = LockReader.isTrue(json, "replayed");
    if (json.get("released") != null) {
      return new TaskOutcome.Expired(swept(json, call), replayed);
    }
    Task task = json.object("task").map(TaskReader::task).orElse(null);
    if (task == null) {
      return new TaskOutcome.Idle();
    }
    Task.View seen = new Task.View(task, Instant.EPOCH);
    long event = number(json, "event_id");
    if (event == 0) {
      return new TaskOutcome.Unclaimed(seen);
    }
    return new TaskOutcome.Done(seen, List.of(event(event, task.id(), command, call, number(json, "claim_attempt"))),
        replayed, TaskOutcome.Standing.valueOf(json.text("standing").orElse("none").toUpperCase(Locale.ROOT)));
  }

  private static List<TaskEvent> swept(JsonObject json, TaskCommand.Call call) {
    List<String> tasks = json.texts("task_ids");
    List<Long> ids = json.integers("event_ids");
    return IntStream.range(0, tasks.size())
        .mapToObj(i -> event(ids.get(i), new TaskId(tasks.get(i)), new TaskCommand.Expire(), call, 0)).toList();
  }

  private static TaskEvent event(long id, TaskId task, TaskCommand command, TaskCommand.Call call, long attempt) {
    return new TaskEvent(id, task, switch (command) {
      case TaskCommand.Create _ -> TaskEvent.Kind.TASK_CREATED;
      case TaskCommand.Claim _,TaskCommand.Resume _,TaskCommand.Start _ -> TaskEvent.Kind.TASK_CLAIMED;
      case TaskCommand.Heartbeat _ -> TaskEvent.Kind.TASK_HEARTBEAT;
      case TaskCommand.Close close -> close.ending() == TaskCommand.Ending.DONE
          ? TaskEvent.Kind.TASK_COMPLETED
          : TaskEvent.Kind.TASK_BLOCKED;
      case TaskCommand.Release _ -> TaskEvent.Kind.TASK_RELEASED;
      case TaskCommand.Expire _ -> TaskEvent.Kind.TASK_LOST;
    }, call, new TaskEvent.About(call.agent(), attempt), Instant.EPOCH, "{}");
  }

  private static TaskSpec spec(JsonObject json) {
    String intent = json.text("intent").orElse(null);
    return new TaskSpec(text(json, "title"), json.text("description").orElse(""), (int) number(json, "priority"),
        json.texts("depends_on").stream().map(TaskId::new).toList(), json.text("project").orElse(null),
        json.text("assigned_to").map(Agent::new).orElse(null),
        intent == null
            ? null
            : new TaskSpec.Work(intent, json.object("params").map(JsonObject::raw).orElse("{}")));
  }

  private static Task.@Nullable Claim claim(JsonObject json) {
    return json.text("claimed_by").map(agent -> new Task.Claim(new Agent(agent), json.text("claimed_with").orElse(null),
        moment(json, "claimed_at"), moment(json, "claim_expires_at"), moment(json, "last_heartbeat_at"),
        LockReader.isTrue(json, "claim_active")))
        .orElse(null);
  }

  static TaskEvent event(JsonObject json) {
    return new TaskEvent(number(json, "id"), new TaskId(text(json, "task_id")),
        TaskEvent.Kind.valueOf(text(json, "kind").toUpperCase(Locale.ROOT)),
        new TaskCommand.Call(new Agent(text(json, "agent")), new RequestId(text(json, "request_id")), null),
        new TaskEvent.About(json.text("owner").map(Agent::new).orElse(null), number(json, "attempt")),
        moment(json, "at"), json.object("detail").map(JsonObject::raw).orElse("{}"));
  }

  private static long number(JsonObject json, String key) {
    return json.integer(key).orElse(0);
  }

  private static Instant moment(JsonObject json, String key) {
    return Timestamps.parse(text(json, key)).orElseThrow(() -> new IllegalStateException(
        "the service returned a task whose " + key + " is not a time: " + text(json, key)));
  }

  private static String text(JsonObject json, String key) {
    return json.text(key)
        .orElseThrow(() -> new IllegalStateException("the service returned a task without " + key + ": " + json.raw()));
  }
}

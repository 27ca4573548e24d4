package fleet.tower.cli.remote;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;

/** Tasks and their events as a service tells them. */
final class TaskReader {
  private TaskReader() {}

  static Task task(JsonObject json) {
    String status = text(json, "status");
    return new Task(new TaskId(text(json, "id")), brief(json),
        TaskStatus.of(status)
            .orElseThrow(() -> new IllegalStateException("the service tells a task that is " + status)),
        json.text("blocked_reason").orElse(null), claim(json), number(json, "attempt"),
        new Task.Origin(new Agent(text(json, "created_by")), moment(json, "created_at"), number(json, "version")));
  }

  private static TaskSpec brief(JsonObject json) {
    String intent = json.text("intent").orElse(null);
    return new TaskSpec(text(json, "title"), json.text("description").orElse(""), (int) number(json, "priority"),
        json.texts("depends_on").stream().map(TaskId::new).toList(), json.text("project").orElse(null),
        json.text("assigned_to").map(Agent::new).orElse(null),
        intent == null
            ? null
            : new TaskSpec.Work(intent, json.object("params").map(JsonObject::raw).orElse("{}")));
  }

  private static Task.@Nullable Claim claim(JsonObject json) {
    return json.text("claimed_by").map(agent -> new Task.Claim(new Agent(agent), moment(json, "claimed_at"),
        moment(json, "claim_expires_at"), moment(json, "last_heartbeat_at"), LockReader.isTrue(json, "claim_active")))
        .orElse(null);
  }

  static TaskEvent event(JsonObject json) {
    return new TaskEvent(number(json, "id"), new TaskId(text(json, "task_id")),
        TaskEvent.Kind.valueOf(text(json, "kind").toUpperCase(Locale.ROOT)),
        new TaskCommand.Call(new Agent(text(json, "agent")), new RequestId(text(json, "request_id"))),
        new TaskEvent.About(json.text("owner").map(Agent::new).orElse(null), number(json, "attempt")),
        moment(json, "at"), json.object("detail").map(JsonObject::raw).orElse("{}"));
  }

  private static long number(JsonObject json, String key) {
    return json.integer(key).orElse(0);
  }

  private static Instant moment(JsonObject json, String key) {
    return Timestamps.parse(text(json, key)).orElseThrow(() -> new IllegalStateException(
        "the service tells a task whose " + key + " is no time: " + text(json, key)));
  }

  private static String text(JsonObject json, String key) {
    return json.text(key)
        .orElseThrow(() -> new IllegalStateException("the service tells a task without " + key + ": " + json.raw()));
  }
}

package fleet.tower.answer;

import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;

/** Tasks as JSON, the same at both doors. */
public final class TaskJson {
  private static final String CLAIMED_WITH = "claimed_with";

  private TaskJson() {}

  /** A task; absent members are left out, except the project. */
  public static JsonWriter task(Task task) {
    return task(task, true);
  }

  /** A task without its description and parameters, which may be long. */
  public static JsonWriter summary(Task task) {
    return task(task, false);
  }

  private static JsonWriter task(Task task, boolean withLongTexts) {
    TaskSpec spec = task.spec();
    JsonWriter json = JsonWriter.line().put("id", task.id().value()).put("title", spec.title());
    if (withLongTexts) {
      json.put("description", spec.description());
    }
    json.put("status", task.status().toString());
    putIfAny(json, "blocked_reason", task.blockedReason());
    json.put("priority", spec.priority()).list("depends_on", quoted(spec.dependsOn()))
        .put("project", spec.project());
    if (spec.assignee() != null) {
      json.put("assigned_to", spec.assignee().name());
    }
    TaskSpec.Work work = spec.work();
    if (work != null) {
      json.put("intent", work.intent());
      if (withLongTexts) {
        json.raw("params", work.params());
      }
    }
    Task.Claim claim = task.claim();
    if (claim != null) {
      json.put("claimed_by", claim.agent().name());
      putIfAny(json, CLAIMED_WITH, claim.token());
      json.put("claimed_at", claim.claimedAt()).put("claim_expires_at", claim.expiresAt())
          .put("last_heartbeat_at", claim.lastHeartbeatAt())
          .put("claim_active", claim.isActive());
    }
    return json.put("attempt", task.attempt()).put("version", task.origin().version())
        .put("created_by", task.origin().createdBy().name()).put("created_at", task.origin().createdAt());
  }

  /** An event. */
  public static JsonWriter event(TaskEvent event) {
    Agent owner = event.about().owner();
    return JsonWriter.line().put("id", event.id()).put("kind", event.kind().toString())
        .put("task_id", event.taskId().value()).put("at", event.at()).put("agent", event.by().agent().name())
        .put("request_id", event.by().requestId().value()).put("owner", owner == null ? null : owner.name())
        .put("attempt", event.about().attempt()).raw("detail", event.detail());
  }

  /** A command that was done. */
  public static JsonWriter done(TaskOutcome.Done done) {
    return JsonWriter.line().put("task", task(done.seen().task())).put("event_id", done.event().id())
        .put("claim_attempt", done.event().about().attempt()).put("replayed", done.replayed())
        .put("standing", word(done.standing()));
  }

  /** No task was available. */
  public static JsonWriter idle() {
    return JsonWriter.line().put("task", (String) null).put("event_id", 0).put("replayed", false).put("standing",
        word(TaskOutcome.Standing.NONE));
  }

  /** There was no claim to release. */
  public static JsonWriter unclaimed(TaskOutcome.Unclaimed unclaimed) {
    return JsonWriter.line().put("task", task(unclaimed.seen().task())).put("event_id", 0).put("replayed", false)
        .put("standing", word(TaskOutcome.Standing.NONE));
  }

  /** The claims that a sweep released. */
  public static JsonWriter swept(TaskOutcome.Expired swept) {
    return JsonWriter.line().put("released", swept.events().size())
        .list("task_ids", quoted(swept.events().stream().map(TaskEvent::taskId).toList()))
        .list("event_ids", swept.events().stream().map(event -> Long.toString(event.id())).toList())
        .put("replayed", swept.replayed());
  }

  private static String word(TaskOutcome.Standing standing) {
    return switch (standing) {
      case NONE -> "none";
      case HELD -> "held";
      case LOST -> "lost";
      case OVER -> "over";
    };
  }

  /** The details of a refusal: the task, its claim, and the caller. */
  public static JsonWriter context(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    JsonWriter json = JsonWriter.line();
    switch (refusal) {
      case TaskOutcome.MissingDependencies(List<TaskId> missing) -> json.list("missing", quoted(missing));
      case TaskOutcome.Unknown(TaskId id) -> json.put("task_id", id.value());
      case TaskOutcome.KeyReused reused -> json.put("request_id", reused.requestId().value())
          .put("command", reused.command()).raw("arguments", reused.arguments());
      case TaskOutcome.Unready(Task.View seen, List<TaskId> open) -> view(json, seen).list("open",
          quoted(open));
      case TaskOutcome.NotOwned(Task.View seen, TaskOutcome.Reason reason) -> view(json, seen).put("reason",
          word(reason));
      case TaskOutcome.Contended(Task.View seen) -> view(json, seen);
      case TaskOutcome.Finished(Task.View seen) -> view(json, seen);
      case TaskOutcome.IdTaken(Task.View seen) -> view(json, seen);
    }
    TaskText.retryAfterSeconds(refusal).ifPresent(seconds -> json.put("retry_after_seconds", seconds));
    return json.put("requested_by", call.agent().name());
  }

  private static JsonWriter view(JsonWriter json, Task.View seen) {
    Task task = seen.task();
    Task.Claim claim = task.claim();
    json.put("task_id", task.id().value()).put("task_status", task.status().toString())
        .put("current_owner", claim == null ? null : claim.agent().name());
    if (claim != null) {
      putIfAny(json, CLAIMED_WITH, claim.token());
      json.put("claim_expires_at", claim.expiresAt());
    }
    return json.put("attempt", task.attempt());
  }

  /** Whether a refusal's reason, as {@link #context} writes it, means that the claim used to be the caller's. */
  public static boolean isLoss(String reason) {
    return Arrays.stream(TaskOutcome.Reason.values())
        .anyMatch(one -> TaskText.isLoss(one) && word(one).equals(reason));
  }

  private static String word(TaskOutcome.Reason reason) {
    return switch (reason) {
      case UNCLAIMED -> "unclaimed";
      case EXPIRED -> "expired";
      case TAKEN -> "taken";
      case OTHER_ATTEMPT -> "other_attempt";
    };
  }

  private static List<String> quoted(List<TaskId> ids) {
    return ids.stream().map(id -> JsonWriter.quote(id.value())).toList();
  }

  private static void putIfAny(JsonWriter json, String key, @Nullable String value) {
    if (value != null) {
      json.put(key, value);
    }
  }
}

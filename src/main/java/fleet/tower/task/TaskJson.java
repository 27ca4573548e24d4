package fleet.tower.task;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.json.Rows;
import fleet.tower.platform.time.Timestamps;

/** What is told of tasks as JSON and in words, the same at every door. */
public final class TaskJson {
  /** The members that list tasks, and events. */
  public static final String TASKS = "tasks";
  public static final String EVENTS = "events";

  private TaskJson() {}

  /** A task; what it does not have is left out, but for its project. */
  public static JsonWriter task(Task task) {
    TaskSpec brief = task.brief();
    JsonWriter json = JsonWriter.line().put("id", task.id().value()).put("title", brief.title())
        .put("description", brief.description()).put("status", task.status().toString());
    putIfAny(json, "blocked_reason", task.blockedReason());
    json.put("priority", brief.priority()).list("depends_on", quoted(brief.dependsOn()))
        .put("project", brief.project());
    more(json, brief);
    Task.Claim claim = task.claim();
    if (claim != null) {
      json.put("claimed_by", claim.agent().name()).put("claimed_at", claim.claimedAt())
          .put("claim_expires_at", claim.expiresAt()).put("last_heartbeat_at", claim.lastHeartbeatAt())
          .put("claim_active", claim.isActive());
    }
    return json.put("attempt", task.attempt()).put("version", task.origin().version())
        .put("created_by", task.origin().createdBy().name()).put("created_at", task.origin().createdAt());
  }

  /** Several tasks. */
  public static JsonWriter list(Rows<Task> tasks) {
    return tasks.json(TASKS, TaskJson::task);
  }

  /** Several events. */
  public static JsonWriter events(Rows<TaskEvent> events) {
    return events.json(EVENTS, TaskJson::event);
  }

  /** What is to be done, as it was asked for. */
  static JsonWriter brief(JsonWriter json, TaskSpec brief) {
    json.put("title", brief.title()).put("description", brief.description()).put("priority", brief.priority())
        .list("depends_on", quoted(brief.dependsOn())).put("project", brief.project());
    more(json, brief);
    return json;
  }

  private static void more(JsonWriter json, TaskSpec brief) {
    Agent assignee = brief.assignee();
    if (assignee != null) {
      json.put("assigned_to", assignee.name());
    }
    TaskSpec.Work work = brief.work();
    if (work != null) {
      json.put("intent", work.intent()).raw("params", work.params());
    }
  }

  /** Something that happened to a task. */
  public static JsonWriter event(TaskEvent event) {
    Agent owner = event.about().owner();
    return JsonWriter.line().put("id", event.id()).put("kind", event.kind().toString())
        .put("task_id", event.taskId().value()).put("at", event.at()).put("agent", event.by().agent().name())
        .put("request_id", event.by().requestId().value()).put("owner", owner == null ? null : owner.name())
        .put("attempt", event.about().attempt()).raw("detail", event.detail());
  }

  /** What a command has done. */
  public static JsonWriter done(TaskOutcome.Done done) {
    return JsonWriter.line().put("task", task(done.seen().task())).put("event_id", done.event().id())
        .put("claim_attempt", done.event().about().attempt()).put("replayed", done.replayed())
        .put("standing", word(done.standing()));
  }

  /** There was nothing to claim. */
  public static JsonWriter idle() {
    return JsonWriter.line().put("task", (String) null).put("event_id", 0).put("replayed", false).put("standing",
        word(TaskOutcome.Standing.NONE));
  }

  /** There was no claim to give back. */
  public static JsonWriter unclaimed(TaskOutcome.Unclaimed unclaimed) {
    return JsonWriter.line().put("task", task(unclaimed.seen().task())).put("event_id", 0).put("replayed", false)
        .put("standing", word(TaskOutcome.Standing.NONE));
  }

  /** What a sweep has taken away. */
  public static JsonWriter swept(TaskOutcome.Swept swept) {
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

  /** The error code of a refusal. */
  public static String errorCode(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.IdTaken _ -> "task_exists";
      case TaskOutcome.MissingDependencies _ -> "unknown_dependency";
      case TaskOutcome.Contended _ -> "claim_contention";
      case TaskOutcome.Unready _ -> "dependencies_open";
      case TaskOutcome.Finished _ -> "task_completed";
      case TaskOutcome.NotOwned _ -> "claim_not_owned";
      case TaskOutcome.Unknown _ -> "task_not_found";
      case TaskOutcome.KeyReused _ -> "idempotency_mismatch";
    };
  }

  /** Whether an error code is one of a refusal, and not of something else that can go wrong. */
  public static boolean isRefusal(String code) {
    return switch (code) {
      case "task_exists", "unknown_dependency", "claim_contention", "dependencies_open", "task_completed",
          "claim_not_owned", "task_not_found", "idempotency_mismatch" ->
        true;
      default -> false;
    };
  }

  /** The refusal in a sentence. */
  public static String message(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.IdTaken(Task.Sighting seen) -> "there is a task " + seen.task().id() + " already";
      case TaskOutcome.MissingDependencies(List<TaskId> missing) -> "it depends on " + joined(missing)
          + ", which " + (missing.size() == 1 ? "is" : "are") + " not there";
      case TaskOutcome.Contended(Task.Sighting seen) -> "task " + seen.task().id() + " is " + claimed(seen.task());
      case TaskOutcome.Unready(Task.Sighting seen, List<TaskId> open) -> "task " + seen.task().id() + " depends on "
          + joined(open) + ", which " + (open.size() == 1 ? "is" : "are") + " not completed";
      case TaskOutcome.Finished(Task.Sighting seen) -> "task " + seen.task().id() + " is completed";
      case TaskOutcome.NotOwned(Task.Sighting seen, TaskOutcome.Reason reason) -> notOwned(seen.task(), reason);
      case TaskOutcome.Unknown(TaskId id) -> "there is no task " + id;
      case TaskOutcome.KeyReused reused -> "request id " + reused.requestId() + " was used before, for "
          + reused.command() + " " + reused.arguments();
    };
  }

  private static String notOwned(Task task, TaskOutcome.Reason reason) {
    return "task " + task.id() + " is " + switch (reason) {
      case UNCLAIMED -> "claimed by nobody, it is " + task.status();
      case EXPIRED -> "no more yours: your claim, attempt " + task.attempt() + ", expired "
          + expiry(task).map(Timestamps::format).orElse("");
      case TAKEN -> claimed(task);
      case OTHER_ATTEMPT -> claimed(task) + ", which is not the attempt that you gave";
    };
  }

  private static String claimed(Task task) {
    Task.Claim claim = task.claim();
    return claim == null
        ? "claimed by nobody"
        : "claimed by " + claim.agent() + " until " + Timestamps.format(claim.expiresAt()) + " (attempt "
            + task.attempt() + ")";
  }

  /** Whether a claim that is not the caller's has been his: he has lost it. */
  public static boolean isLoss(TaskOutcome.Reason reason) {
    return switch (reason) {
      case EXPIRED, OTHER_ATTEMPT -> true;
      case UNCLAIMED, TAKEN -> false;
    };
  }

  /** The same by the reason's word. */
  public static boolean isLoss(String word) {
    return Arrays.stream(TaskOutcome.Reason.values()).anyMatch(reason -> isLoss(reason) && word(reason).equals(word));
  }

  /** What a program can take from a refusal: the task, who has it until when, and who asked. */
  public static JsonWriter context(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    JsonWriter json = JsonWriter.line();
    switch (refusal) {
      case TaskOutcome.MissingDependencies(List<TaskId> missing) -> json.list("missing", quoted(missing));
      case TaskOutcome.Unknown(TaskId id) -> json.put("task_id", id.value());
      case TaskOutcome.KeyReused reused -> json.put("request_id", reused.requestId().value())
          .put("command", reused.command()).raw("arguments", reused.arguments());
      case TaskOutcome.Unready(Task.Sighting seen, List<TaskId> open) -> sighting(json, seen).list("open",
          quoted(open));
      case TaskOutcome.NotOwned(Task.Sighting seen, TaskOutcome.Reason reason) -> sighting(json, seen).put("reason",
          word(reason));
      case TaskOutcome.Contended(Task.Sighting seen) -> sighting(json, seen);
      case TaskOutcome.Finished(Task.Sighting seen) -> sighting(json, seen);
      case TaskOutcome.IdTaken(Task.Sighting seen) -> sighting(json, seen);
    }
    retryAfterSeconds(refusal).ifPresent(seconds -> json.put("retry_after_seconds", seconds));
    return json.put("requested_by", call.agent().name());
  }

  private static JsonWriter sighting(JsonWriter json, Task.Sighting seen) {
    Task task = seen.task();
    Task.Claim claim = task.claim();
    json.put("task_id", task.id().value()).put("task_status", task.status().toString())
        .put("current_owner", claim == null ? null : claim.agent().name());
    expiry(task).ifPresent(at -> json.put("claim_expires_at", at));
    return json.put("attempt", task.attempt());
  }

  private static String word(TaskOutcome.Reason reason) {
    return switch (reason) {
      case UNCLAIMED -> "unclaimed";
      case EXPIRED -> "expired";
      case TAKEN -> "taken";
      case OTHER_ATTEMPT -> "other_attempt";
    };
  }

  /** After how many seconds the same may be asked for again with a chance; nothing where waiting does not help. */
  public static OptionalLong retryAfterSeconds(TaskOutcome.Refusal refusal) {
    return switch (refusal) {
      case TaskOutcome.Contended(Task.Sighting seen) -> OptionalLong.of(seen.remaining().plusMillis(999).toSeconds());
      case TaskOutcome.IdTaken _,TaskOutcome.MissingDependencies _,TaskOutcome.Unready _,TaskOutcome.Finished _,TaskOutcome.NotOwned _,TaskOutcome.Unknown _,TaskOutcome.KeyReused _ ->
        OptionalLong.empty();
    };
  }

  /** What somebody who was refused may do: a command, and when. */
  public static String suggestion(TaskOutcome.Refusal refusal, TaskCommand.Call call) {
    String who = " --agent " + call.agent() + " --request-id NEW";
    return switch (refusal) {
      case TaskOutcome.IdTaken(Task.Sighting seen) -> "tower task get " + seen.task().id();
      case TaskOutcome.MissingDependencies _ -> "tower task list";
      case TaskOutcome.Contended(Task.Sighting seen) -> contended(seen.task(), who);
      case TaskOutcome.Unready(Task.Sighting _, List<TaskId> open) -> "tower task get " + open.getFirst();
      case TaskOutcome.Finished(Task.Sighting seen) -> "tower task events " + seen.task().id();
      case TaskOutcome.NotOwned(Task.Sighting seen, TaskOutcome.Reason reason) -> notOwned(seen.task(), reason, who);
      case TaskOutcome.Unknown _ -> "tower task list";
      case TaskOutcome.KeyReused _ -> "use a new request id; the old one only ever repeats what it did";
    };
  }

  private static String contended(Task task, String who) {
    return "tower task start " + task.id() + who + " after "
        + expiry(task).map(Timestamps::format).orElse("it is released") + "; or take another: tower task claim" + who;
  }

  private static String notOwned(Task task, TaskOutcome.Reason reason, String who) {
    return switch (reason) {
      case UNCLAIMED -> task.status() == TaskStatus.COMPLETED
          ? "tower task events " + task.id()
          : "tower task start " + task.id() + who;
      case EXPIRED -> "stop the work, then: tower task start " + task.id() + who;
      case TAKEN, OTHER_ATTEMPT -> "stop the work, it is another's now; take another: tower task claim" + who;
    };
  }

  private static Optional<Instant> expiry(Task task) {
    Task.Claim claim = task.claim();
    return claim == null ? Optional.empty() : Optional.of(claim.expiresAt());
  }

  private static String joined(List<TaskId> ids) {
    return String.join(", ", ids.stream().map(TaskId::value).toList());
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

package fleet.tower.service.call.task;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Enveloped;
import fleet.tower.answer.Rejected;
import fleet.tower.answer.TaskJson;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.text.Nearest;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.call.Body;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.intent.GivenParams;
import fleet.tower.service.call.intent.IntentProblems;
import fleet.tower.service.call.intent.IntentRights;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;
import fleet.tower.task.Tasks;
import fleet.tower.task.worker.TaskWorkCheck;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls about tasks. Every call that changes one names the agent and a request id, so that it can be repeated. */
public final class TaskCalls {
  private final Tasks tasks;
  private final Catalogue catalogue;

  public TaskCalls(Tasks tasks, Catalogue catalogue) {
    this.tasks = tasks;
    this.catalogue = catalogue;
  }

  /** The agent and its request, which every call names. */
  public interface OfAgent extends Body {
    String agent();

    String requestId();
  }

  /** A new task. */
  public record CreateBody(@NotNull String agent, @NotNull String requestId, @Nullable String id, @NotNull String title,
      @Nullable String description, @Min(-TaskSpec.MAX_PRIORITY) @Max(TaskSpec.MAX_PRIORITY) @Nullable Integer priority,
      @Nullable List<@NotNull String> dependsOn, @Nullable String project, @Nullable String assignedTo,
      @Nullable String intent, @Nullable JsonObject params) implements OfAgent {}

  /** A claim of the best available task. */
  public record ClaimBody(@NotNull String agent, @NotNull String requestId, @Nullable String project,
      @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds, boolean withIntent) implements OfAgent {}

  /** A claim of the agent's own task, or of the best available one. */
  public record ResumeBody(@NotNull String agent, @NotNull String requestId, @Nullable String project,
      @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds, @Min(1) @Nullable Long attempt) implements OfAgent {}

  /** A request to release claims that have expired. */
  public record SweepBody(@NotNull String agent, @NotNull String requestId) implements OfAgent {}

  /** A claim of one task, or the renewal of it. */
  public record HoldBody(@NotNull String agent, @NotNull String requestId,
      @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds, @Min(1) @Nullable Long attempt) implements OfAgent {}

  /** The end of the work on a task. */
  public record CloseBody(@NotNull String agent, @NotNull String requestId, @Min(1) @Nullable Long attempt,
      @NotNull String outcome, @Nullable String reason) implements OfAgent {}

  /** The release of a claim. */
  public record ReleaseBody(@NotNull String agent, @NotNull String requestId, @Min(1) @Nullable Long attempt)
      implements
        OfAgent {}

  /** Creates a task. */
  @Needs(Role.AGENT)
  public Answer create(CreateBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    TaskSpec spec = new TaskSpec(body.title(), Objects.requireNonNullElse(body.description(), ""),
        Objects.requireNonNullElse(body.priority(), 0),
        Objects.requireNonNullElse(body.dependsOn(), List.<String>of()).stream().map(TaskId::new).toList(),
        caller.projectFor(body.project()), body.assignedTo() == null ? null : new Agent(body.assignedTo()),
        work(body, caller));
    TaskOutcome outcome = tasks.create(call,
        new TaskCommand.Create(body.id() == null ? null : new TaskId(body.id()), spec));
    return answer(outcome, call);
  }

  private TaskSpec.@Nullable Work work(CreateBody body, Caller caller) {
    String intent = body.intent();
    if (intent == null) {
      if (body.params() != null) {
        throw CommonProblems.invalid("params", "'params' need an intent, but none is named", "name it as 'intent'");
      }
      return null;
    }
    // The agent that claims the task may have more rights than the one that creates it.
    Map<String, Values.Given> given = GivenParams.of(body.params());
    IntentRights.require(caller, catalogue, intent, given);
    return switch (TaskWorkCheck.of(catalogue, intent, given)) {
      case TaskWorkCheck.Fit(TaskSpec.Work work) -> work;
      case TaskWorkCheck.NoIntent(SubmitOutcome.UnknownIntent unknown) ->
        throw new Rejected(IntentProblems.of(unknown,
            name -> TaskWorkCheck.of(catalogue, name, GivenParams.of(body.params())) instanceof TaskWorkCheck.Fit));
      case TaskWorkCheck.Unfit(SubmitOutcome.InvalidParams invalid) -> throw new Rejected(
          IntentProblems.of(invalid, intent));
    };
  }

  /** Claims the best available task. */
  @Needs(Role.AGENT)
  public Answer claim(ClaimBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.claim(call,
        new TaskCommand.Claim(caller.projectFor(body.project()), ttl(body.ttlSeconds()), body.withIntent())), call);
  }

  /** Claims the task that the agent worked on, or the best available one. */
  @Needs(Role.AGENT)
  public Answer resume(ResumeBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(
        tasks.resume(call, new TaskCommand.Resume(caller.projectFor(body.project()), ttl(body.ttlSeconds()),
            attempt(body.attempt()))),
        call);
  }

  /** Releases claims that have expired. */
  @Needs(Role.AGENT)
  public Answer sweep(SweepBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.expire(call, new TaskCommand.Expire()), call);
  }

  /** Claims one task. */
  @Needs(Role.AGENT)
  public Answer start(String id, HoldBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(
        tasks.start(call,
            new TaskCommand.Start(allowed(id, call, caller), ttl(body.ttlSeconds()), attempt(body.attempt()))),
        call);
  }

  /** Renews a claim. */
  @Needs(Role.AGENT)
  public Answer heartbeat(String id, HoldBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.heartbeat(call,
        new TaskCommand.Heartbeat(allowed(id, call, caller), attempt(body.attempt()), ttl(body.ttlSeconds()))), call);
  }

  /** Completes a task, or marks it as blocked. */
  @Needs(Role.AGENT)
  public Answer close(String id, CloseBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    TaskCommand.Ending ending = switch (body.outcome()) {
      case "done" -> TaskCommand.Ending.DONE;
      case "blocked" -> TaskCommand.Ending.BLOCKED;
      default -> throw CommonProblems.invalid("outcome", "'outcome' must be done or blocked", "correct it");
    };
    return answer(tasks.close(call,
        new TaskCommand.Close(allowed(id, call, caller), attempt(body.attempt()), ending, body.reason())), call);
  }

  /** Releases a claim. */
  @Needs(Role.AGENT)
  public Answer release(String id, ReleaseBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.release(call, new TaskCommand.Release(allowed(id, call, caller), attempt(body.attempt()))),
        call);
  }

  /** Passes tasks to the reader until it returns false, in the order in which they are offered. */
  @Needs(Role.VIEWER)
  public void list(TaskStore.Query wanted, Predicate<Placed<JsonWriter>> reader) {
    tasks.read(wanted, task -> reader.test(task.as(TaskJson::task)));
  }

  /** The status of tasks to list, from its text. */
  public static TaskStatus status(String text) {
    List<String> known = Arrays.stream(TaskStatus.values()).map(TaskStatus::toString).toList();
    return TaskStatus.of(text).orElseThrow(() -> CommonProblems.invalid("status", "'status' must be one of "
        + String.join(", ", known),
        Nearest.of(text, known).map(near -> "did you mean " + near + "?")
            .orElse("correct the value or omit 'status'")));
  }

  /** A task. */
  @Needs(Role.VIEWER)
  public Answer view(String id) {
    TaskId task = new TaskId(id);
    return tasks.get(task).map(seen -> Enveloped.ok(TaskJson.task(seen.task())))
        .orElseGet(() -> TaskProblems.unknown(task));
  }

  private static TaskCommand.Call call(OfAgent body, Caller caller) {
    return new TaskCommand.Call(new Agent(body.agent()), new RequestId(body.requestId()), caller.actor(),
        caller.token());
  }

  /** A task that the caller's token allows; it must exist, because a task that is created later may be in any project. */
  private TaskId allowed(String id, TaskCommand.Call call, Caller caller) {
    TaskId task = new TaskId(id);
    if (caller.isLimitedToProjects()) {
      Task.View seen = tasks.get(task)
          .orElseThrow(() -> new Rejected(TaskProblems.of(new TaskOutcome.Unknown(task), call)));
      caller.requireTasksOf(seen.task().spec().project());
    }
    return task;
  }

  private static Ttl ttl(@Nullable Long seconds) {
    return seconds == null ? TaskCommand.DEFAULT_TTL : new Ttl(seconds);
  }

  private static OptionalLong attempt(@Nullable Long attempt) {
    return attempt == null ? OptionalLong.empty() : OptionalLong.of(attempt);
  }

  private static Answer answer(TaskOutcome outcome, TaskCommand.Call call) {
    return switch (outcome) {
      case TaskOutcome.Done done when done.replayed() -> Enveloped.replayed(TaskJson.done(done));
      case TaskOutcome.Done done ->
        isNew(done) ? Enveloped.created(TaskJson.done(done)) : Enveloped.ok(TaskJson.done(done));
      case TaskOutcome.Idle _ -> Enveloped.ok(TaskJson.idle());
      case TaskOutcome.Unclaimed unclaimed -> Enveloped.ok(TaskJson.unclaimed(unclaimed));
      case TaskOutcome.Expired swept -> swept.replayed()
          ? Enveloped.replayed(TaskJson.swept(swept))
          : Enveloped.ok(TaskJson.swept(swept));
      case TaskOutcome.Refusal refusal -> TaskProblems.of(refusal, call);
    };
  }

  private static boolean isNew(TaskOutcome.Done done) {
    return switch (done.event().kind()) {
      case TASK_CREATED -> true;
      case TASK_CLAIMED, TASK_HEARTBEAT, TASK_RELEASED, TASK_LOST, TASK_COMPLETED, TASK_BLOCKED -> false;
    };
  }
}

package fleet.tower.service.web.task;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.cli.reply.TaskJson;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.web.call.Enveloped;
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.http.Rejected;
import fleet.tower.service.web.intent.GivenParams;
import fleet.tower.service.web.intent.IntentProblems;
import fleet.tower.service.web.intent.IntentRights;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.Tasks;
import fleet.tower.task.worker.TaskWorkCheck;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;

/** Calls that change tasks. Every call names the agent and a request id, so that it can be repeated. */
@RestController
@RequestMapping(path = "/tasks", produces = MediaType.APPLICATION_JSON_VALUE)
final class TaskController {
  private final Tasks tasks;
  private final Catalogue catalogue;

  TaskController(Tasks tasks, Catalogue catalogue) {
    this.tasks = tasks;
    this.catalogue = catalogue;
  }

  /** The agent and its request, which every call names. */
  interface OfAgent extends Body {
    String agent();

    String requestId();
  }

  record CreateBody(@NotNull String agent, @NotNull String requestId, @Nullable String id, @NotNull String title,
      @Nullable String description, @Min(-TaskSpec.MAX_PRIORITY) @Max(TaskSpec.MAX_PRIORITY) @Nullable Integer priority,
      @Nullable List<@NotNull String> dependsOn, @Nullable String project, @Nullable String assignedTo,
      @Nullable String intent, @Nullable JsonObject params) implements OfAgent {}

  record ClaimBody(@NotNull String agent, @NotNull String requestId, @Nullable String project,
      @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds, boolean withIntent) implements OfAgent {}

  record ResumeBody(@NotNull String agent, @NotNull String requestId, @Nullable String project,
      @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds, @Min(1) @Nullable Long attempt) implements OfAgent {}

  record SweepBody(@NotNull String agent, @NotNull String requestId) implements OfAgent {}

  record HoldBody(@NotNull String agent, @NotNull String requestId,
      @Min(1) @Max(Ttl.MAX_SECONDS) @Nullable Long ttlSeconds, @Min(1) @Nullable Long attempt) implements OfAgent {}

  record CloseBody(@NotNull String agent, @NotNull String requestId, @Min(1) @Nullable Long attempt,
      @NotNull String outcome, @Nullable String reason) implements OfAgent {}

  record ReleaseBody(@NotNull String agent, @NotNull String requestId, @Min(1) @Nullable Long attempt)
      implements
        OfAgent {}

  @Needs(Role.AGENT)
  @PostMapping
  ResponseEntity<byte[]> create(CreateBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    TaskSpec spec = new TaskSpec(body.title(), Objects.requireNonNullElse(body.description(), ""),
        Objects.requireNonNullElse(body.priority(), 0),
        Objects.requireNonNullElse(body.dependsOn(), List.<String>of()).stream().map(TaskId::new).toList(),
        body.project(), body.assignedTo() == null ? null : new Agent(body.assignedTo()), work(body, caller));
    TaskOutcome outcome = tasks.create(call,
        new TaskCommand.Create(body.id() == null ? null : new TaskId(body.id()), spec));
    return answer(outcome, call);
  }

  private TaskSpec.@Nullable Work work(CreateBody body, Caller caller) {
    String intent = body.intent();
    if (intent == null) {
      if (body.params() != null) {
        throw Problems.invalid("params", "'params' need an intent, but none is named", "name it as 'intent'");
      }
      return null;
    }
    // The agent that claims the task may have more rights than the one that creates it.
    Map<String, Values.Given> given = GivenParams.of(body.params());
    IntentRights.require(caller, catalogue, intent, given);
    return switch (TaskWorkCheck.of(catalogue, intent, given)) {
      case TaskWorkCheck.Fit(TaskSpec.Work work) -> work;
      case TaskWorkCheck.NoIntent(SubmitOutcome.UnknownIntent unknown) ->
        throw new Rejected(IntentProblems.of(unknown));
      case TaskWorkCheck.Unfit(SubmitOutcome.InvalidParams invalid) -> throw new Rejected(
          IntentProblems.of(invalid, intent));
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/claim")
  ResponseEntity<byte[]> claim(ClaimBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.claim(call,
        new TaskCommand.Claim(body.project(), ttl(body.ttlSeconds()), body.withIntent())), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/resume")
  ResponseEntity<byte[]> resume(ResumeBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(
        tasks.resume(call, new TaskCommand.Resume(body.project(), ttl(body.ttlSeconds()), attempt(body.attempt()))),
        call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/gc")
  ResponseEntity<byte[]> sweep(SweepBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.sweep(call, new TaskCommand.Sweep()), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/start")
  ResponseEntity<byte[]> start(@PathVariable("id") String id, HoldBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(
        tasks.start(call, new TaskCommand.Start(new TaskId(id), ttl(body.ttlSeconds()), attempt(body.attempt()))),
        call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/heartbeat")
  ResponseEntity<byte[]> heartbeat(@PathVariable("id") String id, HoldBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.heartbeat(call,
        new TaskCommand.Heartbeat(new TaskId(id), attempt(body.attempt()), ttl(body.ttlSeconds()))), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/close")
  ResponseEntity<byte[]> close(@PathVariable("id") String id, CloseBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    TaskCommand.Ending ending = switch (body.outcome()) {
      case "done" -> TaskCommand.Ending.DONE;
      case "blocked" -> TaskCommand.Ending.BLOCKED;
      default -> throw Problems.invalid("outcome", "'outcome' must be done or blocked", "correct it");
    };
    return answer(tasks.close(call,
        new TaskCommand.Close(new TaskId(id), attempt(body.attempt()), ending, body.reason())), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/release")
  ResponseEntity<byte[]> release(@PathVariable("id") String id, ReleaseBody body, Caller caller) {
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.release(call, new TaskCommand.Release(new TaskId(id), attempt(body.attempt()))), call);
  }

  private static TaskCommand.Call call(OfAgent body, Caller caller) {
    return new TaskCommand.Call(new Agent(body.agent()), new RequestId(body.requestId()),
        caller.actor());
  }

  private static Ttl ttl(@Nullable Long seconds) {
    return seconds == null ? TaskCommand.DEFAULT_TTL : new Ttl(seconds);
  }

  private static OptionalLong attempt(@Nullable Long attempt) {
    return attempt == null ? OptionalLong.empty() : OptionalLong.of(attempt);
  }

  private static ResponseEntity<byte[]> answer(TaskOutcome outcome, TaskCommand.Call call) {
    return switch (outcome) {
      case TaskOutcome.Done done when done.replayed() -> Enveloped.replayed(TaskJson.done(done));
      case TaskOutcome.Done done ->
        isNew(done) ? Enveloped.created(TaskJson.done(done)) : Enveloped.ok(TaskJson.done(done));
      case TaskOutcome.Idle _ -> Enveloped.ok(TaskJson.idle());
      case TaskOutcome.Unclaimed unclaimed -> Enveloped.ok(TaskJson.unclaimed(unclaimed));
      case TaskOutcome.Swept swept -> swept.replayed()
          ? Enveloped.replayed(TaskJson.swept(swept))
          : Enveloped.ok(TaskJson.swept(swept));
      case TaskOutcome.Refusal refusal -> TaskProblems.of(refusal, call).answer();
    };
  }

  private static boolean isNew(TaskOutcome.Done done) {
    return switch (done.event().kind()) {
      case TASK_CREATED -> true;
      case TASK_CLAIMED, TASK_HEARTBEAT, TASK_RELEASED, TASK_LOST, TASK_COMPLETED, TASK_BLOCKED -> false;
    };
  }

}

package fleet.tower.service.web.task;

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
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.web.call.Enveloped;
import fleet.tower.service.web.http.Body;
import fleet.tower.service.web.http.Needs;
import fleet.tower.service.web.http.Problems;
import fleet.tower.service.web.http.Rejected;
import fleet.tower.service.web.intent.GivenParams;
import fleet.tower.service.web.intent.IntentProblems;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.Tasks;
import fleet.tower.task.worker.TaskWorkCheck;

/** Calls that change tasks. Every call names the agent and a request id, so that it can be repeated. */
@RestController
@RequestMapping(path = "/tasks", produces = MediaType.APPLICATION_JSON_VALUE)
final class TaskController {
  private static final String AGENT = "agent";
  private static final String REQUEST_ID = "request_id";
  private static final String TTL = "ttl_seconds";
  private static final String ATTEMPT = "attempt";
  private static final String PROJECT = "project";

  private final Tasks tasks;
  private final Catalogue catalogue;

  TaskController(Tasks tasks, Catalogue catalogue) {
    this.tasks = tasks;
    this.catalogue = catalogue;
  }

  @Needs(Role.AGENT)
  @PostMapping
  ResponseEntity<byte[]> create(Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID, "id", "title", "description", "priority", "depends_on", PROJECT, "assigned_to",
        "intent", "params");
    TaskCommand.Call call = call(body, caller);
    TaskSpec spec = new TaskSpec(body.required("title"), body.text("description").orElse(""),
        body.integer("priority", -TaskSpec.MAX_PRIORITY, TaskSpec.MAX_PRIORITY).map(Math::toIntExact).orElse(0),
        body.texts("depends_on").stream().map(TaskId::new).toList(), body.text(PROJECT).orElse(null),
        body.text("assigned_to").map(Agent::new).orElse(null), work(body, caller));
    TaskOutcome outcome = tasks.create(call,
        new TaskCommand.Create(body.text("id").map(TaskId::new).orElse(null), spec));
    return answer(outcome, call);
  }

  private TaskSpec.@Nullable Work work(Body body, Caller caller) {
    String intent = body.text("intent").orElse(null);
    if (intent == null) {
      if (body.object("params").isPresent()) {
        throw Problems.invalid("params", "'params' need an intent, but none is named", "name it as 'intent'");
      }
      return null;
    }
    // The agent that claims the task may have more rights than the one that creates it.
    caller.requireIntent(intent);
    return switch (TaskWorkCheck.of(catalogue, intent, GivenParams.of(body))) {
      case TaskWorkCheck.Fit(TaskSpec.Work work) -> work;
      case TaskWorkCheck.Nobody(SubmitOutcome.UnknownIntent unknown) -> throw new Rejected(IntentProblems.of(unknown));
      case TaskWorkCheck.Unfit(SubmitOutcome.InvalidParams invalid) -> throw new Rejected(
          IntentProblems.of(invalid, intent));
    };
  }

  @Needs(Role.AGENT)
  @PostMapping("/claim")
  ResponseEntity<byte[]> claim(Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID, PROJECT, TTL, "with_intent");
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.claim(call,
        new TaskCommand.Claim(body.text(PROJECT).orElse(null), ttl(body), body.flag("with_intent"))), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/resume")
  ResponseEntity<byte[]> resume(Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID, PROJECT, TTL, ATTEMPT);
    TaskCommand.Call call = call(body, caller);
    return answer(
        tasks.resume(call, new TaskCommand.Resume(body.text(PROJECT).orElse(null), ttl(body), attempt(body))), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/gc")
  ResponseEntity<byte[]> sweep(Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID);
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.sweep(call, new TaskCommand.Sweep()), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/start")
  ResponseEntity<byte[]> start(@PathVariable("id") String id, Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID, TTL, ATTEMPT);
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.start(call, new TaskCommand.Start(new TaskId(id), ttl(body), attempt(body))), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/heartbeat")
  ResponseEntity<byte[]> heartbeat(@PathVariable("id") String id, Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID, TTL, ATTEMPT);
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.heartbeat(call, new TaskCommand.Heartbeat(new TaskId(id), attempt(body), ttl(body))), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/close")
  ResponseEntity<byte[]> close(@PathVariable("id") String id, Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID, ATTEMPT, "outcome", "reason");
    TaskCommand.Call call = call(body, caller);
    TaskCommand.Ending ending = switch (body.required("outcome")) {
      case "done" -> TaskCommand.Ending.DONE;
      case "blocked" -> TaskCommand.Ending.BLOCKED;
      default -> throw Problems.invalid("outcome", "'outcome' must be done or blocked", "correct it");
    };
    return answer(tasks.close(call,
        new TaskCommand.Close(new TaskId(id), attempt(body), ending, body.text("reason").orElse(null))), call);
  }

  @Needs(Role.AGENT)
  @PostMapping("/{id}/release")
  ResponseEntity<byte[]> release(@PathVariable("id") String id, Body body, Caller caller) {
    body.allow(AGENT, REQUEST_ID, ATTEMPT);
    TaskCommand.Call call = call(body, caller);
    return answer(tasks.release(call, new TaskCommand.Release(new TaskId(id), attempt(body))), call);
  }

  private static TaskCommand.Call call(Body body, Caller caller) {
    return new TaskCommand.Call(new Agent(body.required(AGENT)), new RequestId(body.required(REQUEST_ID)),
        caller.actor());
  }

  private static Ttl ttl(Body body) {
    return body.integer(TTL, 1, Ttl.MAX_SECONDS).map(Ttl::new).orElse(TaskCommand.DEFAULT_TTL);
  }

  private static OptionalLong attempt(Body body) {
    return body.integer(ATTEMPT, 1, Long.MAX_VALUE).map(OptionalLong::of).orElseGet(OptionalLong::empty);
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

package fleet.tower.operation;

import static fleet.tower.operation.TaskOperations.ATTEMPT;
import static fleet.tower.operation.TaskOperations.TTL;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.access.Caller;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Values;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.operation.Handler.Request;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.list.Page;
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

/** Carries out the operations on tasks. */
public final class TaskHandlers {
  private final Supplier<Tasks> tasks;
  private final Supplier<Catalogue> intents;
  private final HaltSource halts;

  /**
   * @param tasks the tasks, opened when the arguments of a request are found valid
   * @param intents the intents that tasks may name, read when a task names one
   * @param halts what keeps agents from claiming tasks
   */
  public TaskHandlers(Supplier<Tasks> tasks, Supplier<Catalogue> intents, HaltSource halts) {
    this.halts = halts;
    this.tasks = tasks;
    this.intents = intents;
  }

  /** The handler of each operation. */
  public Map<Operation, Handler> all() {
    return Map.ofEntries(Map.entry(TaskOperations.LIST, this::list), Map.entry(TaskOperations.VIEW, this::view),
        Map.entry(TaskOperations.EVENTS, this::events), Map.entry(TaskOperations.CREATE, this::create),
        Map.entry(TaskOperations.CLAIM, claiming((given, caller) -> new TaskCommand.Claim(
            caller.projectFor(given.orNull(TaskOperations.PROJECT)), ttl(given),
            given.get(TaskOperations.WITH_INTENT)))),
        Map.entry(TaskOperations.RESUME, claiming((given, caller) -> new TaskCommand.Resume(
            caller.projectFor(given.orNull(TaskOperations.PROJECT)), ttl(given), attempt(given)))),
        Map.entry(TaskOperations.START,
            claiming((given, _) -> new TaskCommand.Start(id(given), ttl(given), attempt(given)))),
        Map.entry(TaskOperations.RENEW,
            changing((given, _) -> new TaskCommand.Heartbeat(id(given), attempt(given), ttl(given)))),
        Map.entry(TaskOperations.CLOSE, changing((given, _) -> new TaskCommand.Close(id(given), attempt(given),
            TaskCommand.Ending.valueOf(given.get(TaskOperations.OUTCOME).toUpperCase(Locale.ROOT)),
            given.orNull(TaskOperations.REASON)))),
        Map.entry(TaskOperations.RELEASE,
            changing((given, _) -> new TaskCommand.Release(id(given), attempt(given)))),
        Map.entry(TaskOperations.SWEEP, changing((_, _) -> new TaskCommand.Expire())));
  }

  /** Reads a command from the arguments of a request. */
  private interface Reading {
    TaskCommand read(Given given, Caller caller);
  }

  /** The same for a command that gives its agent a claim: no halt may cover the agent or the caller. */
  private Handler claiming(Reading reading) {
    Handler change = changing(reading);
    return request -> {
      HaltedCall.require(halts, Halt.Subject.of(request.caller().actor(), null, null)
          .and(request.given().get(TaskOperations.WORKER)));
      return change.handle(request);
    };
  }

  private Handler changing(Reading reading) {
    return request -> {
      TaskCommand.Call call = call(request);
      TaskCommand command = reading.read(request.given(), request.caller());
      Optional<TaskId> about = request.given().find(TaskOperations.ID).map(TaskId::new);
      if (about.isPresent() && request.caller().isLimitedToProjects()) {
        // It must exist, because a task that is created later may be in any project.
        Optional<Task.View> seen = tasks.get().get(about.get());
        if (seen.isEmpty()) {
          return new TaskCallOutcome.Changed(new TaskOutcome.Unknown(about.get()), call);
        }
        request.caller().requireTasksOf(seen.get().task().spec().project());
      }
      return new TaskCallOutcome.Changed(tasks.get().perform(call, command), call);
    };
  }

  private Outcome create(Request request) {
    TaskCommand.Call call = call(request);
    Given given = request.given();
    TaskSpec spec = new TaskSpec(given.get(TaskOperations.TITLE), given.get(TaskOperations.DESCRIPTION),
        given.get(TaskOperations.PRIORITY).intValue(),
        given.find(TaskOperations.DEPENDS_ON).orElse(List.of()).stream().map(TaskId::new).toList(),
        request.caller().projectFor(given.orNull(TaskOperations.QUEUE)),
        given.find(TaskOperations.ASSIGNED_TO).map(Agent::new).orElse(null), null);
    TaskId id = given.find(TaskOperations.NEW_ID).map(TaskId::new).orElse(null);
    String intent = given.orNull(TaskOperations.INTENT);
    JsonObject params = given.orNull(TaskOperations.PARAMS);
    if (intent == null) {
      if (params != null) {
        throw new InvalidValue(InvalidValue.Kind.REQUEST,
            "'params' need an intent, but none is named; name it as 'intent'");
      }
      return create(call, id, spec);
    }
    // The agent that claims the task may have more rights than the one that creates it.
    Map<String, Values.Given> values = GivenParams.of(params);
    Catalogue catalogue = intents.get();
    IntentRights.require(request.caller(), catalogue, intent, values);
    return switch (TaskWorkCheck.of(catalogue, intent, values)) {
      case TaskWorkCheck.Fit(TaskSpec.Work work) -> create(call, id, spec.by(work));
      case TaskWorkCheck.NoIntent(var why) -> new TaskCallOutcome.NoIntent(why,
          other -> TaskWorkCheck.of(catalogue, other, values) instanceof TaskWorkCheck.Fit);
      case TaskWorkCheck.Unfit(var why) -> new TaskCallOutcome.Unfit(why, intent);
    };
  }

  private Outcome create(TaskCommand.Call call, @Nullable TaskId id, TaskSpec spec) {
    return new TaskCallOutcome.Changed(tasks.get().perform(call, new TaskCommand.Create(id, spec)), call);
  }

  private Outcome list(Request request) {
    Given given = request.given();
    TaskStore.Query query = new TaskStore.Query(given.find(TaskOperations.STATUS).flatMap(TaskStatus::of).orElse(null),
        given.orNull(TaskOperations.PROJECT), given.find(TaskOperations.CLAIMED_BY).map(Agent::new).orElse(null),
        given.get(TaskOperations.LIMIT).intValue());
    Page page = query.page(given.orNull(CommonArgs.CURSOR));
    return new TaskCallOutcome.Listed(page, reader -> tasks.get().read(query.of(page), reader));
  }

  private Outcome view(Request request) {
    TaskId id = id(request.given());
    return new TaskCallOutcome.Viewed(id, tasks.get().get(id).map(Task.View::task).orElse(null));
  }

  private Outcome events(Request request) {
    TaskId id = id(request.given());
    return tasks.get().get(id).isEmpty()
        ? new TaskCallOutcome.Viewed(id, null)
        : new TaskCallOutcome.Events(reader -> tasks.get().events(id, request.given().get(TaskOperations.AFTER),
            request.given().get(TaskOperations.LIMIT).intValue(), reader));
  }

  private static TaskCommand.Call call(Request request) {
    return new TaskCommand.Call(new Agent(request.given().get(TaskOperations.WORKER)),
        new RequestId(request.given().get(TaskOperations.REQUEST_ID)), request.caller().actor(),
        request.caller().token());
  }

  private static TaskId id(Given given) {
    return new TaskId(given.get(TaskOperations.ID));
  }

  private static Ttl ttl(Given given) {
    return new Ttl(given.get(TTL));
  }

  private static OptionalLong attempt(Given given) {
    return given.find(ATTEMPT).map(OptionalLong::of).orElseGet(OptionalLong::empty);
  }
}

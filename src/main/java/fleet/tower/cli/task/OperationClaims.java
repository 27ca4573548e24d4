package fleet.tower.cli.task;

import java.util.Optional;

import fleet.tower.answer.RefusedCommand;
import fleet.tower.answer.TaskText;
import fleet.tower.cli.remote.Requests;
import fleet.tower.operation.Given;
import fleet.tower.operation.Operation;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.StorageException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.worker.Claims;

/** The claims of a worker, in the home or the service that its command line names. */
final class OperationClaims implements Claims {
  private final Requests.Calls calls;

  OperationClaims(Requests.Calls calls) {
    this.calls = calls;
  }

  @Override
  public Offer claim(TaskCommand.Call call, TaskCommand.Claim command) {
    Given given = of(call).with(TaskOperations.TTL, command.ttl().seconds())
        .with(TaskOperations.WITH_INTENT, command.withIntent());
    String project = command.project();
    JsonObject data;
    try {
      data = calls.send(TaskOperations.CLAIM, project == null ? given : given.with(TaskOperations.PROJECT, project));
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.HALTED)) {
        return new Halted(refusal);
      }
      throw refusal;
    }
    Optional<JsonObject> task = data.object("task");
    if (task.isEmpty()) {
      return new Nothing();
    }
    return data.text("standing").filter("held"::equals).isPresent()
        ? claimed(task.get(), data.integer("claim_attempt").orElseThrow())
        : new Missed();
  }

  private static Claimed claimed(JsonObject task, long attempt) {
    TaskSpec.Work work = task.text("intent")
        .map(intent -> new TaskSpec.Work(intent, task.object("params").map(JsonObject::raw).orElse("{}"))).orElse(null);
    return new Claimed(new TaskId(task.text("id").orElseThrow()), task.text("title").orElse(""), work, attempt);
  }

  @Override
  public Answer perform(TaskCommand.Call call, TaskCommand.ByHolder command) {
    Given given = of(call).with(TaskOperations.ID, command.id().value());
    if (command.attempt().isPresent()) {
      given = given.with(TaskOperations.ATTEMPT, command.attempt().getAsLong());
    }
    try {
      JsonObject data = switch (command) {
        case TaskCommand.Heartbeat beat ->
          calls.send(TaskOperations.RENEW, given.with(TaskOperations.TTL, beat.ttl().seconds()));
        case TaskCommand.Close close -> calls.send(TaskOperations.CLOSE, closing(given, close));
        case TaskCommand.Release _ -> calls.send(TaskOperations.RELEASE, given);
      };
      if (data.integer("event_id").orElse(0) == 0) {
        return fate(command);
      }
      return TaskText.isLost(data) ? Answer.LOST : Answer.DONE;
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.CLAIM_NOT_OWNED)) {
        return fate(command);
      }
      if (refusal.is(ErrorCode.TASK_NOT_FOUND)) {
        return Answer.LOST;
      }
      throw refusal;
    }
  }

  private static Given closing(Given given, TaskCommand.Close close) {
    Given ended = given.with(TaskOperations.OUTCOME, close.ending().toString());
    String reason = close.reason();
    return reason == null ? ended : ended.with(TaskOperations.REASON, reason);
  }

  private static Given of(TaskCommand.Call call) {
    return Given.NOTHING.with(TaskOperations.WORKER, call.agent().name())
        .with(TaskOperations.REQUEST_ID, call.requestId().value());
  }

  /**
   * The answer for a claim that is gone: settled if the program that did the task closed it in this attempt, else lost.
   */
  private Answer fate(TaskCommand.ByHolder command) {
    return read(TaskOperations.VIEW, command.id())
        .filter(task -> command.attempt().equals(task.integer("attempt"))).flatMap(task -> task.text("status"))
        .filter(status -> status.equals("completed") || status.equals("blocked")).map(_ -> Answer.SETTLED)
        .orElse(Answer.LOST);
  }

  private Optional<JsonObject> read(Operation operation, TaskId id) {
    try {
      return Optional.of(calls.send(operation, Given.NOTHING.with(TaskOperations.ID, id.value())));
    } catch (RefusedCommand refusal) {
      if (refusal.is(ErrorCode.TASK_NOT_FOUND)) {
        return Optional.empty();
      }
      throw refusal;
    }
  }

  @Override
  public boolean isPassing(RuntimeException thrown) {
    return thrown instanceof StorageException
        || (thrown instanceof RefusedCommand refusal && refusal.isPassing());
  }
}

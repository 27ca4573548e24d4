package fleet.tower.cli.remote;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.answer.RemoteRefusal;
import fleet.tower.answer.TaskJson;
import fleet.tower.cli.task.TaskClient;
import fleet.tower.intent.Values;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.Notices;
import fleet.tower.remote.Server;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStore;

/** The tasks of a service. Its refusals are thrown. */
final class RemoteTaskClient implements TaskClient {
  private static final String TASKS = "/tasks";

  private final Server server;

  RemoteTaskClient(Server server) {
    this.server = server;
  }

  @Override
  public TaskOutcome perform(TaskCommand.Call call, TaskCommand command) {
    JsonWriter body = JsonWriter.line().put("agent", call.agent().name())
        .put("request_id", call.requestId().value()).members(body(command));
    return TaskReader.outcome(data(server.post(path(command), body, Map.of(), Duration.ZERO)), call, command);
  }

  private static JsonObject data(Server.Answer answer) {
    return answer.json().object("data").orElseThrow(
        () -> new IllegalStateException("the service answered without data: " + answer.json().raw()));
  }

  private static String path(TaskCommand command) {
    return switch (command) {
      case TaskCommand.Create _ -> TASKS;
      case TaskCommand.Claim _,TaskCommand.Resume _,TaskCommand.Expire _ -> TASKS + "/" + command.word();
      case TaskCommand.Start(TaskId id, var _, var _) -> path(id) + "/" + command.word();
      case TaskCommand.ByHolder byHolder -> path(byHolder.id()) + "/" + command.word();
    };
  }

  private static String path(TaskId id) {
    return TASKS + "/" + Server.part(id.value());
  }

  private static JsonWriter body(TaskCommand command) {
    JsonWriter body = JsonWriter.line();
    return switch (command) {
      case TaskCommand.Create create -> create(body, create);
      case TaskCommand.Claim claim -> body.put("project", claim.project()).put("ttl_seconds", claim.ttl().seconds())
          .put("with_intent", claim.withIntent());
      case TaskCommand.Resume resume -> attempt(
          body.put("project", resume.project()).put("ttl_seconds", resume.ttl().seconds()), resume.attempt());
      case TaskCommand.Start start -> attempt(body.put("ttl_seconds", start.ttl().seconds()), start.attempt());
      case TaskCommand.Heartbeat beat -> attempt(body.put("ttl_seconds", beat.ttl().seconds()), beat.attempt());
      case TaskCommand.Close close -> attempt(
          body.put("outcome", close.ending().toString()).put("reason", close.reason()), close.attempt());
      case TaskCommand.Release release -> attempt(body, release.attempt());
      case TaskCommand.Expire _ -> body;
    };
  }

  private static JsonWriter create(JsonWriter body, TaskCommand.Create create) {
    TaskSpec spec = create.spec();
    TaskId id = create.id();
    Agent assignee = spec.assignee();
    body.put("id", id == null ? null : id.value()).put("title", spec.title()).put("description", spec.description())
        .put("priority", spec.priority())
        .list("depends_on", spec.dependsOn().stream().map(task -> JsonWriter.quote(task.value())).toList())
        .put("project", spec.project()).put("assigned_to", assignee == null ? null : assignee.name());
    TaskSpec.Work work = spec.work();
    return work == null ? body : body.put("intent", work.intent()).raw("params", work.params());
  }

  private static JsonWriter attempt(JsonWriter body, OptionalLong attempt) {
    return attempt.isPresent() ? body.put("attempt", attempt.getAsLong()) : body;
  }

  @Override
  public Optional<Task> find(TaskId id) {
    try {
      return Optional.of(TaskReader.task(data(server.get(path(id)))));
    } catch (RemoteRefusal refusal) {
      if (refusal.is(ErrorCode.TASK_NOT_FOUND)) {
        return Optional.empty();
      }
      throw refusal;
    }
  }

  @Override
  public Rows<Task> list(TaskStore.Query query, @Nullable String cursor) {
    StringBuilder filters = new StringBuilder();
    Agent claimedBy = query.claimedBy();
    filters.append(query.status() == null ? "" : "&status=" + query.status())
        .append(query.project() == null ? "" : "&project=" + Server.part(query.project()))
        .append(claimedBy == null ? "" : "&claimed_by=" + Server.part(claimedBy.name()));
    return RemotePages.read(TaskJson.TASKS, query.limit(), cursor,
        (limit, next) -> data(server.get(TASKS + "?limit=" + limit + filters + next))).as(TaskReader::task);
  }

  @Override
  public Rows<TaskEvent> events(TaskId id, long after, int limit) {
    try {
      return Rows.read(data(server.get(path(id) + "/events?after=" + after + "&limit=" + limit)), TaskJson.EVENTS,
          TaskReader::event);
    } catch (RemoteRefusal refusal) {
      if (refusal.is(ErrorCode.TASK_NOT_FOUND)) {
        return new Rows<>(List.of(), false, null);
      }
      throw refusal;
    }
  }

  @Override
  public TaskSpec.Work work(String intent, Map<String, Values.Given> params) {
    return new TaskSpec.Work(intent, new RemoteParams(server, intent).json(params, _ -> {}).end());
  }

  @Override
  public boolean hasIntentsHere() {
    return false;
  }

  @Override
  public Notices notices() {
    return Notices.NONE;
  }

  @Override
  public void close() {
    // Every call has a connection of its own.
  }
}

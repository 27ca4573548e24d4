package fleet.tower.task.sql;

import static fleet.tower.task.TaskEvent.Kind.TASK_BLOCKED;
import static fleet.tower.task.TaskEvent.Kind.TASK_CLAIMED;
import static fleet.tower.task.TaskEvent.Kind.TASK_COMPLETED;
import static fleet.tower.task.TaskEvent.Kind.TASK_CREATED;
import static fleet.tower.task.TaskEvent.Kind.TASK_HEARTBEAT;
import static fleet.tower.task.TaskEvent.Kind.TASK_LOST;
import static fleet.tower.task.TaskEvent.Kind.TASK_RELEASED;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Ttl;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskTransition;

/** The transaction of one request. */
final class TaskTransaction {
  private final Session session;
  private final TaskCommand.Call call;
  private final Supplier<Boot> clock;
  private final Boot boot;

  TaskTransaction(Session session, TaskCommand.Call call, Supplier<Boot> clock) {
    this.session = session;
    this.call = call;
    this.clock = clock;
    this.boot = clock.get();
  }

  /** A task after a change, and the events of the change. */
  record Changed(TaskRow row, List<TaskEvent> events) {}

  TaskCommand.Call call() {
    return call;
  }

  Optional<TaskRow> find(TaskId id) throws SQLException {
    return session.first(TaskStatements.FIND, TaskRow::read, boot.values().put("id", id.value()));
  }

  /**
   * The first task of a queue. Tasks that other transactions are about to claim are skipped; if there are no others,
   * this method waits for those transactions, because they may not claim them after all.
   */
  Optional<TaskRow> first(TaskStatements.Queue queue, @Nullable String project) throws SQLException {
    NamedValues values = boot.values().put("agent", call.agent().name()).put("project", project);
    Optional<TaskRow> free = session.first(queue.first(), TaskRow::read, values);
    return free.isPresent() || boot.isOfOneHost()
        ? free
        : session.first(queue.firstOfAll(), TaskRow::read, values);
  }

  Optional<TaskId> focus() throws SQLException {
    return session.first(TaskStatements.FOCUS, row -> new TaskId(row.getString(1)), call.agent().name());
  }

  List<TaskId> openDependencies(TaskId id) throws SQLException {
    return session.query(TaskStatements.OPEN_DEPENDENCIES, row -> new TaskId(row.getString(1)), id.value());
  }

  /** The status of a dependency, which cannot be completed until this transaction ends; empty if it does not exist. */
  Optional<String> statusForGood(TaskId dependency) throws SQLException {
    return session.first(TaskStatements.DEPENDENCY, row -> row.getString(1), dependency.value());
  }

  /** Creates a task, unless its id exists. */
  Optional<Changed> insert(TaskId id, TaskSpec spec, int openDependencies) throws SQLException {
    Agent assignee = spec.assignee();
    TaskSpec.Work work = spec.work();
    Optional<TaskRow> made = session.first(TaskStatements.INSERT, TaskRow::read,
        new NamedValues().put("id", id.value()).put("title", spec.title()).put("description", spec.description())
            .put("priority", spec.priority()).put("depends_on", TaskRow.joined(spec.dependsOn()))
            .put("project", spec.project()).put("assignee", assignee == null ? null : assignee.name())
            .put("intent", work == null ? null : work.intent()).put("params", work == null ? null : work.params())
            .put("open_dependencies", openDependencies).put("created_by", call.agent().name()));
    if (made.isEmpty()) {
      return Optional.empty();
    }
    for (TaskId dependency : spec.dependsOn()) {
      session.update(TaskStatements.DEPEND, dependency.value(), id.value());
    }
    TaskEvent event = append(made.get(), TASK_CREATED, new TaskEvent.About(null, 0),
        JsonWriter.line().put("title", spec.title()).put("priority", spec.priority())
            .put("assigned_to", assignee == null ? null : assignee.name()));
    return Optional.of(new Changed(made.get(), List.of(event)));
  }

  /** Claims a task that is unchanged since it was read and that is not held. */
  Optional<Changed> take(TaskRow seen, TaskTransition move, Ttl ttl) throws SQLException {
    Optional<TaskRow> row = session.first(TaskStatements.take(move), TaskRow::read,
        claimed(seen.task().id(), ttl).put("version", seen.task().origin().version()));
    return taken(seen, row, ttl);
  }

  private Optional<Changed> taken(TaskRow seen, Optional<TaskRow> row, Ttl ttl) throws SQLException {
    if (row.isEmpty()) {
      return Optional.empty();
    }
    keepPace(row.get());
    List<TaskEvent> events = new ArrayList<>();
    if (seen.task().claim() != null) {
      events.add(lost(seen, row.get()));
    }
    events.add(append(row.get(), TASK_CLAIMED, mine(row.get()),
        JsonWriter.line().put("from", seen.task().status().toString()).put("ttl_seconds", ttl.seconds())));
    focusOn(row.get());
    return Optional.of(new Changed(row.get(), events));
  }

  private TaskEvent lost(TaskRow seen, TaskRow now) throws SQLException {
    Task.Claim claim = seen.task().claim();
    return claim == null
        ? append(now, TASK_LOST, new TaskEvent.About(null, seen.task().attempt()), JsonWriter.line())
        : append(now, TASK_LOST, new TaskEvent.About(claim.agent(), seen.task().attempt()),
            JsonWriter.line().put("reason", "expired").put("claim_expires_at", claim.expiresAt()));
  }

  /** Renews the caller's own claim; an attempt, if given, must be the current one. */
  Optional<Changed> renew(TaskId id, OptionalLong attempt, Ttl ttl) throws SQLException {
    Optional<TaskRow> row = session.first(TaskStatements.renew(attempt.isPresent()), TaskRow::read,
        claimed(id, ttl).put("attempt", attempt.orElse(0)));
    if (row.isEmpty()) {
      return Optional.empty();
    }
    keepPace(row.get());
    TaskEvent event = append(row.get(), TASK_HEARTBEAT, mine(row.get()),
        JsonWriter.line().put("ttl_seconds", ttl.seconds()));
    return Optional.of(new Changed(row.get(), List.of(event)));
  }

  /**
   * Corrects the times by the clock since boot, which was read a moment before the statement set the other times. If
   * that moment was long, the claim would otherwise end before the time that its holder was given.
   */
  private void keepPace(TaskRow row) throws SQLException {
    long late = clock.get().millis() - boot.millis();
    if (late > 0) {
      session.update(TaskStatements.KEEP_PACE, late, late, row.task().id().value());
    }
  }

  /** Ends the caller's own claim. */
  Optional<Changed> end(TaskId id, OptionalLong attempt, TaskTransition move, @Nullable String reason)
      throws SQLException {
    Optional<TaskRow> row = session.first(TaskStatements.end(attempt.isPresent(), move), TaskRow::read,
        owned(id).put("attempt", attempt.orElse(0)).put("reason", move == TaskTransition.BLOCK ? reason : null));
    if (row.isEmpty()) {
      return Optional.empty();
    }
    if (move == TaskTransition.COMPLETE) {
      session.update(TaskStatements.FREE_DEPENDENTS, id.value());
    }
    JsonWriter detail = JsonWriter.line();
    TaskEvent event = append(row.get(), switch (move) {
      case COMPLETE -> TASK_COMPLETED;
      case BLOCK -> TASK_BLOCKED;
      case RELEASE -> TASK_RELEASED;
      case CLAIM, START, RESUME, HEARTBEAT, EXPIRE -> throw new IllegalStateException(move + " ends no claim");
    }, mine(row.get()), reason == null ? detail : detail.put("reason", reason));
    return Optional.of(new Changed(row.get(), List.of(event)));
  }

  private NamedValues owned(TaskId id) {
    return boot.values().put("id", id.value()).put("agent", call.agent().name()).put("token", call.token());
  }

  private NamedValues claimed(TaskId id, Ttl ttl) {
    return owned(id).put("ttl_millis", ttl.seconds() * 1000).put("boot_until", boot.until(ttl));
  }

  /** Removes all expired claims. */
  List<TaskEvent> expireAll() throws SQLException {
    List<TaskEvent> events = new ArrayList<>();
    for (List<TaskRow> some = expired(); !some.isEmpty(); some = expired()) {
      for (TaskRow seen : some) {
        Optional<TaskRow> row = session.first(TaskStatements.EXPIRE, TaskRow::read,
            boot.values().put("id", seen.task().id().value()).put("version", seen.task().origin().version()));
        if (row.isPresent()) {
          events.add(lost(seen, row.get()));
        }
      }
    }
    return events;
  }

  private List<TaskRow> expired() throws SQLException {
    return session.query(TaskStatements.EXPIRED, TaskRow::read, boot.values());
  }

  /** Makes a task the agent's focus. */
  void focusOn(TaskRow row) throws SQLException {
    session.update(TaskStatements.SET_FOCUS, call.agent().name(), row.task().id().value());
  }

  private TaskEvent.About mine(TaskRow row) {
    return new TaskEvent.About(call.agent(), row.task().attempt());
  }

  private TaskEvent append(TaskRow row, TaskEvent.Kind kind, TaskEvent.About about, JsonWriter detail)
      throws SQLException {
    return TaskEvents.append(session, row, kind, call, about, detail);
  }
}

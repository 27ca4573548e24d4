package fleet.tower.task.sql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.disk.DiskReserve;
import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.PagedQuery;
import fleet.tower.platform.sql.Session;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskOutcome.Standing;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;
import fleet.tower.task.sql.TaskTransaction.Changed;

/**
 * The store of tasks in a database. A request is one transaction: it looks for the same request; if there is none, it
 * makes the change, writes its events, and records the request.
 */
final class SqlTaskStore implements TaskStore {
  private static final int MOST_TRIES = 10;

  private static final List<String> CRITERIA = List.of("status = :status", "project = :project",
      "claimed_by = :claimed_by",
      "(priority < :after_priority OR (priority = :after_priority AND sequence > :after_sequence))");

  /** The tasks that are in memory at once; each may have fifty kilobytes. */
  private static final int TOGETHER = 64;

  private final Database database;
  private final TimeSource time;
  private final DiskReserve reserve;

  SqlTaskStore(Database database, TimeSource time, DiskReserve reserve) {
    this.database = database;
    this.time = time;
    this.reserve = reserve;
  }

  /** The work of a command that is not a repetition. */
  private interface Work {
    TaskOutcome run(TaskTransaction tasks) throws SQLException;
  }

  @Override
  public TaskOutcome.OfCreate create(TaskCommand.Call call, TaskCommand.Create command, TaskId fresh) {
    reserve.require();
    return (TaskOutcome.OfCreate) once(call, command, tasks -> create(tasks, command, fresh));
  }

  @Override
  public TaskOutcome.OfClaim claim(TaskCommand.Call call, TaskCommand.Claim command) {
    return (TaskOutcome.OfClaim) once(call, command, tasks -> new TaskClaims(tasks).claim(command));
  }

  @Override
  public TaskOutcome.OfClaim resume(TaskCommand.Call call, TaskCommand.Resume command) {
    return (TaskOutcome.OfClaim) once(call, command, tasks -> new TaskClaims(tasks).resume(command));
  }

  @Override
  public TaskOutcome.OfStart start(TaskCommand.Call call, TaskCommand.Start command) {
    return (TaskOutcome.OfStart) once(call, command, tasks -> new TaskClaims(tasks).start(command));
  }

  @Override
  public TaskOutcome.OfHolder change(TaskCommand.Call call, TaskCommand.ByHolder command) {
    return (TaskOutcome.OfHolder) once(call, command, tasks -> new TaskChanges(tasks).change(command));
  }

  @Override
  public TaskOutcome.OfExpire expire(TaskCommand.Call call, TaskCommand.Expire command) {
    return (TaskOutcome.OfExpire) once(call, command, tasks -> new TaskOutcome.Expired(tasks.expireAll(), false));
  }

  private static TaskOutcome create(TaskTransaction tasks, TaskCommand.Create command, TaskId fresh)
      throws SQLException {
    List<TaskId> missing = new ArrayList<>();
    int open = 0;
    for (TaskId dependency : command.spec().dependsOn()) {
      Optional<String> status = tasks.statusForGood(dependency);
      if (status.isEmpty()) {
        missing.add(dependency);
      } else if (!status.get().equals(TaskStatus.COMPLETED.toString())) {
        open++;
      }
    }
    if (!missing.isEmpty()) {
      return new TaskOutcome.MissingDependencies(missing);
    }
    Optional<Changed> made = tasks.insert(fresh, command.spec(), open);
    if (made.isEmpty()) {
      return new TaskOutcome.IdTaken(tasks.find(fresh).orElseThrow().view());
    }
    return new TaskOutcome.Done(made.get().row().view(), made.get().events(), false, Standing.NONE);
  }

  /** A heartbeat need not be durable: if a power cut undoes it, no holder of the claim has survived either. */
  private TaskOutcome once(TaskCommand.Call call, TaskCommand command, Work work) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      try {
        Database.Work<TaskOutcome> transaction = session -> once(session, call, command, work);
        return command instanceof TaskCommand.Heartbeat
            ? database.writeSwiftly(transaction)
            : database.writeDurably(transaction);
      } catch (TaskRequests.Overtaken sameElsewhere) {
        // It is recorded now, so the next try finds it.
      }
    }
    throw new StorageException("request " + call.requestId() + " keeps being sent by other clients; try again");
  }

  private TaskOutcome once(Session session, TaskCommand.Call call, TaskCommand command, Work work)
      throws SQLException {
    TaskTransaction tasks = new TaskTransaction(session, call, () -> Boot.of(database, time));
    Optional<TaskOutcome> known = known(session, tasks, command);
    if (known.isPresent()) {
      return known.get();
    }
    TaskOutcome outcome = work.run(tasks);
    return switch (outcome) {
      case TaskOutcome.Done done -> {
        TaskRequests.keep(session, call, command, done.seen().task().id(), done.events());
        TaskAnnouncements.announce(session, command);
        yield done;
      }
      case TaskOutcome.Expired swept -> {
        TaskRequests.keep(session, call, command, null, swept.events());
        TaskAnnouncements.announce(session, command);
        yield swept;
      }
      // The obstacle may be the result of the same request, which another transaction has granted meanwhile.
      case TaskOutcome.Idle _,TaskOutcome.Unclaimed _,TaskOutcome.Refusal _ ->
        database.isOfOneHost() ? outcome : known(session, tasks, command).orElse(outcome);
    };
  }

  private static Optional<TaskOutcome> known(Session session, TaskTransaction tasks, TaskCommand command)
      throws SQLException {
    TaskCommand.Call call = tasks.call();
    Optional<TaskRequests.Prior> prior = TaskRequests.find(session, call);
    if (prior.isEmpty()) {
      return Optional.empty();
    }
    TaskRequests.Prior found = prior.get();
    return Optional.of(found.isSameAs(call, command)
        ? again(session, tasks, command, found)
        : new TaskOutcome.KeyReused(call.requestId(), found.command(), found.arguments(), found.token()));
  }

  /** The original outcome of a repeated request, and the state of the claim now. */
  private static TaskOutcome again(Session session, TaskTransaction tasks, TaskCommand command,
      TaskRequests.Prior prior) throws SQLException {
    List<TaskEvent> events = TaskEvents.of(session, tasks.call(), prior.firstEvent(), prior.lastEvent());
    TaskId id = prior.taskId();
    if (id == null) {
      return new TaskOutcome.Expired(events, true);
    }
    TaskRow row = tasks.find(id).orElseThrow(() -> new SQLException("task " + id + " was deleted by hand"));
    return new TaskOutcome.Done(row.view(), events, true, switch (command) {
      case TaskCommand.Create _,TaskCommand.Expire _ -> Standing.NONE;
      case TaskCommand.Close _,TaskCommand.Release _ -> Standing.OVER;
      case TaskCommand.Claim _,TaskCommand.Resume _,TaskCommand.Start _,TaskCommand.Heartbeat _ ->
        standing(session, tasks, row, prior);
    });
  }

  private static Standing standing(Session session, TaskTransaction tasks, TaskRow row, TaskRequests.Prior prior)
      throws SQLException {
    if (row.isActive() && row.isClaimedBy(tasks.call()) && row.task().attempt() == prior.attempt()) {
      return Standing.HELD;
    }
    return TaskEvents.isOver(session, row.task().id(), prior.attempt()) ? Standing.OVER : Standing.LOST;
  }

  @Override
  public Optional<Task.View> find(TaskId id) {
    Boot boot = Boot.of(database, time);
    return database.read(
        session -> session.first(TaskStatements.FIND, TaskRow::read, boot.values().put("id", id.value())))
        .flatMap(found -> found).map(TaskRow::view);
  }

  @Override
  public Listing list(Query query) {
    List<TaskRow> rows = new ArrayList<>();
    rows(query, rows::add);
    return new Listing(rows.stream().map(TaskRow::task).toList(), rows.isEmpty() ? time.now() : rows.getFirst().at());
  }

  @Override
  public void read(Query query, Predicate<Placed<Task>> reader) {
    rows(query, row -> reader.test(row.placed()));
  }

  private void rows(Query query, Predicate<TaskRow> reader) {
    TaskStatus status = query.status();
    Agent claimedBy = query.claimedBy();
    Cursor after = query.after();
    NamedValues values = Boot.of(database, time).values().put("status", status == null ? null : status.toString())
        .put("project", query.project()).put("claimed_by", claimedBy == null ? null : claimedBy.name())
        .put("after_priority", after == null ? null : after.number(0))
        .put("after_sequence", after == null ? null : after.number(1));
    new PagedQuery(TaskStatements.LOOK, "tasks", CRITERIA, values, "priority DESC, sequence").read(database,
        query.limit(), TOGETHER, TaskRow::read, reader);
  }

  @Override
  public List<TaskEvent> events(EventQuery query) {
    return TaskEvents.find(database, query);
  }

  @Override
  public Optional<TaskId> focus(Agent agent) {
    return database
        .read(session -> session.first(TaskStatements.FOCUS, row -> new TaskId(row.getString(1)), agent.name()))
        .flatMap(found -> found);
  }

  @Override
  public void close() {
    database.close();
  }
}

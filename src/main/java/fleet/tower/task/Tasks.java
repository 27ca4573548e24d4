package fleet.tower.task;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.list.Page.Placed;

/** The tasks of a home: the store decides, and the audit log then records claims, losses and closes. */
public final class Tasks implements AutoCloseable {
  /** The events of a task that are in memory at once while all of them are listed; each may have twenty kilobytes. */
  private static final int EVENTS_TOGETHER = 128;

  private final TaskStore store;
  private final AuditLog audit;
  private final Supplier<RequestId> newIds;

  /** @param newIds creates unique ids */
  public Tasks(TaskStore store, AuditLog audit, Supplier<RequestId> newIds) {
    this.store = store;
    this.audit = audit;
    this.newIds = newIds;
  }

  /** Performs a command. */
  public TaskOutcome perform(TaskCommand.Call call, TaskCommand command) {
    TaskOutcome outcome = switch (command) {
      case TaskCommand.Create create -> store.create(call, create, fresh(create));
      case TaskCommand.Claim claim -> store.claim(call, claim);
      case TaskCommand.Resume resume -> store.resume(call, resume);
      case TaskCommand.Start start -> store.start(call, start);
      case TaskCommand.ByHolder byHolder -> store.change(call, byHolder);
      case TaskCommand.Expire expire -> store.expire(call, expire);
    };
    audit(call, outcome);
    return outcome;
  }

  private TaskId fresh(TaskCommand.Create create) {
    TaskId given = create.id();
    return given == null ? TaskId.fresh(newIds.get()) : given;
  }

  public Optional<Task.View> get(TaskId id) {
    return store.find(id);
  }

  /** Passes tasks to the reader in the order in which they are offered, until it returns false. */
  public void read(TaskStore.Query query, Predicate<Placed<Task>> reader) {
    store.read(query, reader);
  }

  /** Lists events, oldest first. To follow, query again for the events after the last one. */
  public List<TaskEvent> events(TaskStore.EventQuery query) {
    return store.events(query);
  }

  /** Passes the events of a task after a given one to the reader, oldest first, until it returns false. */
  public void events(TaskId task, long after, int limit, Predicate<TaskEvent> reader) {
    long seen = after;
    int left = limit;
    List<TaskEvent> some;
    do {
      int most = Math.min(left, EVENTS_TOGETHER);
      some = store.events(new TaskStore.EventQuery(task, seen, most));
      for (TaskEvent event : some) {
        if (!reader.test(event)) {
          return;
        }
        seen = event.id();
      }
      left = some.size() < most ? 0 : left - most;
    } while (left > 0);
  }

  /** The task that an agent works on or worked on last. */
  public Optional<TaskId> focus(Agent agent) {
    return store.focus(agent);
  }

  @Override
  public void close() {
    store.close();
  }

  private void audit(TaskCommand.Call call, TaskOutcome outcome) {
    switch (outcome) {
      case TaskOutcome.Done done when !done.replayed() ->
        done.events().forEach(event -> audit(event, Origin.of(call.actor())));
      case TaskOutcome.Expired swept when !swept.replayed() ->
        swept.events().forEach(event -> audit(event, Origin.of(call.actor())));
      case TaskOutcome.Done _,TaskOutcome.Expired _,TaskOutcome.Idle _,TaskOutcome.Unclaimed _,TaskOutcome.Refusal _ ->
        {
        }
    }
  }

  /** Audits claims, losses and closes; the task's own events have the rest. */
  private void audit(TaskEvent event, Origin origin) {
    switch (event.kind()) {
      case TASK_CLAIMED ->
        audit.append(new AuditEvent.TaskClaimed(event.by().requestId(), event.at(), claimOf(event), origin));
      case TASK_LOST -> audit.append(
          new AuditEvent.TaskLost(event.by().requestId(), event.at(), claimOf(event), origin));
      case TASK_COMPLETED, TASK_BLOCKED -> audit.append(new AuditEvent.TaskClosed(event.by().requestId(), event.at(),
          claimOf(event), event.kind() == TaskEvent.Kind.TASK_COMPLETED ? "done" : "blocked", origin));
      case TASK_CREATED, TASK_HEARTBEAT, TASK_RELEASED -> {
      }
    }
  }

  private static AuditEvent.TaskClaim claimOf(TaskEvent event) {
    Agent owner = event.about().owner();
    return new AuditEvent.TaskClaim(event.taskId().value(), owner == null ? "" : owner.name(),
        event.about().attempt());
  }
}

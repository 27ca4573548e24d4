package fleet.tower.task;

import static java.util.Objects.requireNonNull;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.AuditLog;
import fleet.tower.audit.Origin;
import fleet.tower.lease.RequestId;

/** Tasks as agents use them: the store decides, and claims, losses and closes are told to the audit log behind it. */
public final class Tasks implements AutoCloseable {
  /** So many events of one task are in memory when all of them are listed; each may have twenty kilobytes. */
  private static final int EVENTS_TOGETHER = 128;

  private final TaskStore store;
  private final AuditLog audit;
  private final Supplier<RequestId> newIds;

  /** @param newIds makes ids that nobody else has */
  public Tasks(TaskStore store, AuditLog audit, Supplier<RequestId> newIds) {
    this.store = requireNonNull(store);
    this.audit = requireNonNull(audit);
    this.newIds = requireNonNull(newIds);
  }

  /** Makes a task. */
  public TaskOutcome.OfCreate create(TaskCommand.Call call, TaskCommand.Create command) {
    TaskId given = command.id();
    return audited(call, store.create(call, command, given == null ? TaskId.fresh(newIds.get()) : given));
  }

  /** Takes the best task that is to be had. */
  public TaskOutcome.OfClaim claim(TaskCommand.Call call, TaskCommand.Claim command) {
    return audited(call, store.claim(call, command));
  }

  /** Goes on with what the agent was at, or takes the next task. */
  public TaskOutcome.OfClaim resume(TaskCommand.Call call, TaskCommand.Resume command) {
    return audited(call, store.resume(call, command));
  }

  /** Takes one task that is named, or renews the claim on it. */
  public TaskOutcome.OfStart start(TaskCommand.Call call, TaskCommand.Start command) {
    return audited(call, store.start(call, command));
  }

  /** Keeps a claim alive. */
  public TaskOutcome.OfHolder heartbeat(TaskCommand.Call call, TaskCommand.Heartbeat command) {
    return audited(call, store.change(call, command));
  }

  /** Ends the work on a task. */
  public TaskOutcome.OfHolder close(TaskCommand.Call call, TaskCommand.Close command) {
    return audited(call, store.change(call, command));
  }

  /** Gives a task back to the queue. */
  public TaskOutcome.OfHolder release(TaskCommand.Call call, TaskCommand.Release command) {
    return audited(call, store.change(call, command));
  }

  /** Takes expired claims away. */
  public TaskOutcome.OfSweep sweep(TaskCommand.Call call, TaskCommand.Sweep command) {
    return audited(call, store.sweep(call, command));
  }

  public Optional<Task.View> get(TaskId id) {
    return store.find(id);
  }

  /** Hands over tasks in the order in which they are offered, until it is answered false. */
  public void read(TaskStore.Query query, Predicate<Task> reader) {
    store.read(query, reader);
  }

  /** The oldest first. Whoever follows asks again for what came after the last one that he was given. */
  public List<TaskEvent> events(TaskStore.EventQuery query) {
    return store.events(query);
  }

  /** Hands over what happened to a task behind an event, the oldest first, until it is answered false. */
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

  /** The task that an agent is at or was at last. */
  public Optional<TaskId> focus(Agent agent) {
    return store.focus(agent);
  }

  @Override
  public void close() {
    store.close();
  }

  private <T extends TaskOutcome> T audited(TaskCommand.Call call, T outcome) {
    switch (outcome) {
      case TaskOutcome.Done done when !done.replayed() ->
        done.events().forEach(event -> audit(event, Origin.of(call.actor())));
      case TaskOutcome.Swept swept when !swept.replayed() ->
        swept.events().forEach(event -> audit(event, Origin.of(call.actor())));
      case TaskOutcome.Done _,TaskOutcome.Swept _,TaskOutcome.Idle _,TaskOutcome.Unclaimed _,TaskOutcome.Refusal _ -> {
      }
    }
    return outcome;
  }

  /** Who has what, and who no more; the rest stands with the task. */
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

package fleet.tower.task.sql;

import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;

import org.jspecify.annotations.Nullable;

import fleet.tower.lease.Ttl;
import fleet.tower.platform.StorageException;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskTransition;
import fleet.tower.task.sql.TaskStatements.Queue;
import fleet.tower.task.sql.TaskTransaction.Changed;

/**
 * The commands that claim a task: claim, start and resume. Between reading a task and claiming it, another agent may be
 * faster; then the task is read again. This cannot last long, because each time some agent succeeds.
 */
final class TaskClaims {
  private static final int MOST_LOOKS = 100;

  private final TaskTransaction tasks;

  TaskClaims(TaskTransaction tasks) {
    this.tasks = tasks;
  }

  TaskOutcome claim(TaskCommand.Claim command) throws SQLException {
    Optional<Changed> got = command.withIntent()
        ? nextWithIntent(command.project(), command.ttl())
        : next(command.project(), TaskTransition.CLAIM, command.ttl());
    return got.map(TaskClaims::held).orElseGet(TaskOutcome.Idle::new);
  }

  TaskOutcome start(TaskCommand.Start command) throws SQLException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Optional<TaskRow> seen = tasks.find(command.id());
      if (seen.isEmpty()) {
        return new TaskOutcome.Unknown(command.id());
      }
      Optional<TaskOutcome> outcome = start(command, seen.get());
      if (outcome.isPresent()) {
        return outcome.get();
      }
    }
    throw tooBusy(command.id());
  }

  private Optional<TaskOutcome> start(TaskCommand.Start command, TaskRow seen) throws SQLException {
    if (!TaskTransition.START.startsFrom(seen.task().status())) {
      return Optional.of(new TaskOutcome.Finished(seen.view()));
    }
    if (isOwn(seen, command.attempt())) {
      Optional<Changed> renewed = tasks.renew(command.id(), command.attempt(), command.ttl());
      if (renewed.isPresent()) {
        tasks.focusOn(renewed.get().row());
      }
      return renewed.map(TaskClaims::held);
    }
    if (seen.isActive()) {
      return Optional.of(new TaskOutcome.Contended(seen.view()));
    }
    if (seen.openDependencies() > 0) {
      return Optional.of(new TaskOutcome.Unready(seen.view(), tasks.openDependencies(command.id())));
    }
    return tasks.take(seen, TaskTransition.START, command.ttl()).map(TaskClaims::held);
  }

  /** Whether the claim is active and the caller's own; an attempt, if given, must be the current one. */
  private boolean isOwn(TaskRow seen, OptionalLong attempt) {
    return (attempt.isEmpty() || attempt.getAsLong() == seen.task().attempt()) && seen.isActive()
        && seen.isClaimedBy(tasks.call());
  }

  /** Applies the rules of resuming one after the other; tasks that another agent has are skipped. */
  TaskOutcome resume(TaskCommand.Resume command) throws SQLException {
    Optional<TaskRow> focus = focus(command.project());
    Optional<Changed> got = Optional.empty();
    if (focus.isPresent() && isGoneOnWith(focus.get().task())) {
      got = goOn(command, focus.get());
    }
    if (got.isEmpty()) {
      got = assigned(command);
    }
    if (got.isEmpty() && focus.isPresent() && focus.get().task().status() == TaskStatus.PENDING) {
      got = tasks.take(focus.get(), TaskTransition.RESUME, command.ttl());
    }
    if (got.isEmpty()) {
      got = next(command.project(), TaskTransition.RESUME, command.ttl());
    }
    return got.map(TaskClaims::held).orElseGet(TaskOutcome.Idle::new);
  }

  private Optional<TaskRow> focus(@Nullable String project) throws SQLException {
    Optional<TaskId> id = tasks.focus();
    Optional<TaskRow> focus = id.isEmpty() ? Optional.empty() : tasks.find(id.get());
    return focus.filter(row -> project == null || project.equals(row.task().spec().project()));
  }

  /** Whether a task can be resumed: it is in progress, or blocked for a reason that may have passed. */
  private static boolean isGoneOnWith(Task task) {
    String reason = task.blockedReason();
    return switch (task.status()) {
      case IN_PROGRESS -> true;
      case BLOCKED -> reason == null || !reason.startsWith(TaskCommand.Close.FAILURE);
      case PENDING, COMPLETED -> false;
    };
  }

  /** Renews the caller's own claim; claims a focus that is not held. */
  private Optional<Changed> goOn(TaskCommand.Resume command, TaskRow focus) throws SQLException {
    return isOwn(focus, command.attempt())
        ? tasks.renew(focus.task().id(), command.attempt(), command.ttl())
        : tasks.take(focus, TaskTransition.RESUME, command.ttl());
  }

  private Optional<Changed> assigned(TaskCommand.Resume command) throws SQLException {
    String project = command.project();
    return first(TaskTransition.RESUME, command.ttl(),
        project == null ? Queue.OF_ASSIGNEE : Queue.OF_ASSIGNEE_AND_PROJECT, project);
  }

  private Optional<Changed> next(@Nullable String project, TaskTransition move, Ttl ttl) throws SQLException {
    return first(move, ttl, project == null ? Queue.ALL : Queue.OF_PROJECT, project);
  }

  private Optional<Changed> nextWithIntent(@Nullable String project, Ttl ttl) throws SQLException {
    return first(TaskTransition.CLAIM, ttl, project == null ? Queue.OF_INTENTS : Queue.OF_INTENTS_AND_PROJECT,
        project);
  }

  private Optional<Changed> first(TaskTransition move, Ttl ttl, Queue queue, @Nullable String project)
      throws SQLException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Optional<TaskRow> seen = tasks.first(queue, project);
      if (seen.isEmpty()) {
        return Optional.empty();
      }
      Optional<Changed> taken = tasks.take(seen.get(), move, ttl);
      if (taken.isPresent()) {
        return taken;
      }
    }
    throw new StorageException("the queue of tasks changes faster than it can be read; try again");
  }

  private static TaskOutcome held(Changed changed) {
    return new TaskOutcome.Done(changed.row().view(), changed.events(), false, TaskOutcome.Standing.HELD);
  }

  static StorageException tooBusy(TaskId id) {
    return new StorageException("task " + id + " changes faster than it can be read; try again");
  }
}

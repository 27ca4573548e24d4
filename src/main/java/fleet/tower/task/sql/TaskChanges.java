package fleet.tower.task.sql;

import java.sql.SQLException;
import java.util.Optional;

import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskOutcome.Reason;
import fleet.tower.task.TaskOutcome.Standing;
import fleet.tower.task.TaskTransition;
import fleet.tower.task.sql.TaskTransaction.Changed;

/** The commands of a claim's holder: heartbeat, close and release. */
final class TaskChanges {
  private static final int MOST_LOOKS = 100;

  private final TaskTransaction tasks;

  TaskChanges(TaskTransaction tasks) {
    this.tasks = tasks;
  }

  /** Tries the change first, and looks for the reason only if it was refused. */
  TaskOutcome change(TaskCommand.ByHolder command) throws SQLException {
    for (int look = 0; look < MOST_LOOKS; look++) {
      Optional<Changed> changed = changed(command);
      if (changed.isPresent()) {
        Standing standing = command.move() == TaskTransition.HEARTBEAT ? Standing.HELD : Standing.OVER;
        return new TaskOutcome.Done(changed.get().row().view(), changed.get().events(), false, standing);
      }
      Optional<TaskRow> seen = tasks.find(command.id());
      if (seen.isEmpty()) {
        return new TaskOutcome.Unknown(command.id());
      }
      Optional<TaskOutcome> refusal = refusal(command, seen.get());
      if (refusal.isPresent()) {
        return refusal.get();
      }
    }
    throw TaskClaims.tooBusy(command.id());
  }

  private Optional<Changed> changed(TaskCommand.ByHolder command) throws SQLException {
    return switch (command) {
      case TaskCommand.Heartbeat heartbeat -> tasks.renew(heartbeat.id(), heartbeat.attempt(), heartbeat.ttl());
      case TaskCommand.Close close -> tasks.end(close.id(), close.attempt(), close.move(), close.reason());
      case TaskCommand.Release release -> tasks.end(release.id(), release.attempt(), release.move(), null);
    };
  }

  /** The refusal; empty if the caller has claimed the task since the change was refused. */
  private Optional<TaskOutcome> refusal(TaskCommand.ByHolder command, TaskRow seen) {
    if (seen.task().claim() == null && command.move() == TaskTransition.RELEASE) {
      return Optional.of(new TaskOutcome.Unclaimed(seen.view()));
    }
    return reason(command, seen).map(reason -> new TaskOutcome.NotOwned(seen.view(), reason));
  }

  private Optional<Reason> reason(TaskCommand.ByHolder command, TaskRow seen) {
    if (seen.task().claim() == null) {
      return Optional.of(Reason.UNCLAIMED);
    }
    if (!seen.isClaimedBy(tasks.call())) {
      return Optional.of(Reason.TAKEN);
    }
    if (command.attempt().isPresent() && command.attempt().getAsLong() != seen.task().attempt()) {
      return Optional.of(Reason.OTHER_ATTEMPT);
    }
    return seen.isActive() ? Optional.empty() : Optional.of(Reason.EXPIRED);
  }
}

package fleet.tower.task;

import static fleet.tower.task.TaskStatus.BLOCKED;
import static fleet.tower.task.TaskStatus.COMPLETED;
import static fleet.tower.task.TaskStatus.IN_PROGRESS;
import static fleet.tower.task.TaskStatus.PENDING;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Every change of a task's status: from which statuses, to which, and the right that it needs. */
public enum TaskTransition {
  /** An agent claims the next task of the queue. */
  CLAIM(EnumSet.of(PENDING, IN_PROGRESS), IN_PROGRESS, Right.VACANCY),
  /** An agent claims a given task, even a blocked one; the holder can renew its claim this way. */
  START(EnumSet.of(PENDING, IN_PROGRESS, BLOCKED), IN_PROGRESS, Right.VACANCY),
  /** An agent resumes its own task. */
  RESUME(EnumSet.of(PENDING, IN_PROGRESS, BLOCKED), IN_PROGRESS, Right.VACANCY),
  /** The holder renews its claim. */
  HEARTBEAT(EnumSet.of(IN_PROGRESS), IN_PROGRESS, Right.CLAIM),
  /** The holder has completed the task. */
  COMPLETE(EnumSet.of(IN_PROGRESS), COMPLETED, Right.CLAIM),
  /** The holder cannot continue. */
  BLOCK(EnumSet.of(IN_PROGRESS), BLOCKED, Right.CLAIM),
  /** The holder releases the task. */
  RELEASE(EnumSet.of(IN_PROGRESS), PENDING, Right.CLAIM),
  /** A sweep removes the expired claim. */
  EXPIRE(EnumSet.of(IN_PROGRESS), PENDING, Right.EXPIRY);

  @SuppressWarnings("ImmutableEnumChecker") // a private copy that is never exposed
  private final Set<TaskStatus> from;
  private final TaskStatus to;
  private final Right right;

  TaskTransition(Set<TaskStatus> from, TaskStatus to, Right right) {
    this.from = EnumSet.copyOf(from);
    this.to = to;
    this.right = right;
  }

  /** The condition of a transition, besides the status. */
  public enum Right {
    /** The task has no unexpired claim, and all its dependencies are completed. */
    VACANCY,
    /** The caller holds the current, unexpired claim. */
    CLAIM,
    /** The claim has expired. */
    EXPIRY
  }

  public boolean startsFrom(TaskStatus status) {
    return from.contains(status);
  }

  public Set<TaskStatus> from() {
    return EnumSet.copyOf(from);
  }

  public TaskStatus to() {
    return to;
  }

  public Right right() {
    return right;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

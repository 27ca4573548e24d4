package fleet.tower.task;

import static fleet.tower.task.TaskStatus.BLOCKED;
import static fleet.tower.task.TaskStatus.COMPLETED;
import static fleet.tower.task.TaskStatus.IN_PROGRESS;
import static fleet.tower.task.TaskStatus.PENDING;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Every way in which a task changes: from which statuses, to which, and who may. There is no other. */
public enum TaskTransition {
  /** The next one of the queue is taken. */
  CLAIM(EnumSet.of(PENDING, IN_PROGRESS), IN_PROGRESS, Right.VACANCY),
  /** One that is named is taken, also one that was blocked; its holder may so renew its claim. */
  START(EnumSet.of(PENDING, IN_PROGRESS, BLOCKED), IN_PROGRESS, Right.VACANCY),
  /** An agent goes on with what it was at. */
  RESUME(EnumSet.of(PENDING, IN_PROGRESS, BLOCKED), IN_PROGRESS, Right.VACANCY),
  /** Its holder lives. */
  HEARTBEAT(EnumSet.of(IN_PROGRESS), IN_PROGRESS, Right.CLAIM),
  /** Its holder has done it. */
  COMPLETE(EnumSet.of(IN_PROGRESS), COMPLETED, Right.CLAIM),
  /** Its holder cannot go on. */
  BLOCK(EnumSet.of(IN_PROGRESS), BLOCKED, Right.CLAIM),
  /** Its holder gives it back. */
  RELEASE(EnumSet.of(IN_PROGRESS), PENDING, Right.CLAIM),
  /** Its claim has expired and is taken away by somebody who tidies up. */
  EXPIRE(EnumSet.of(IN_PROGRESS), PENDING, Right.EXPIRY);

  @SuppressWarnings("ImmutableEnumChecker") // nobody can change it: it is a copy that is never given away
  private final Set<TaskStatus> from;
  private final TaskStatus to;
  private final Right right;

  TaskTransition(Set<TaskStatus> from, TaskStatus to, Right right) {
    this.from = EnumSet.copyOf(from);
    this.to = to;
    this.right = right;
  }

  /** What a move needs beside a fit status. */
  public enum Right {
    /** That nobody holds an unexpired claim, and that all it depends on is completed. */
    VACANCY,
    /** That the caller holds the current claim, unexpired. */
    CLAIM,
    /** That the claim has expired. */
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

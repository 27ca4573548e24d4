package fleet.tower.task;

import java.util.Locale;
import java.util.Optional;

/** Where a task stands. How it gets from one to another is in {@link TaskTransition}. */
public enum TaskStatus {
  /** Nobody is at it. It is offered once all that it depends on is completed. */
  PENDING,
  /** Somebody has claimed it; it is offered again when the claim has expired. */
  IN_PROGRESS,
  /** It is done, for good. */
  COMPLETED,
  /** It cannot go on by itself; it is offered no more until somebody starts it. */
  BLOCKED;

  /** The status of a word such as {@code in_progress}. */
  public static Optional<TaskStatus> of(String word) {
    for (TaskStatus status : values()) {
      if (status.toString().equals(word)) {
        return Optional.of(status);
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}

package fleet.tower.task;

import java.util.Locale;
import java.util.Optional;

/** The status of a task; {@link TaskTransition} defines how it changes. */
public enum TaskStatus {
  /** The task is not claimed; it is offered once all its dependencies are completed. */
  PENDING,
  /** The task is claimed; it is offered again when the claim has expired. */
  IN_PROGRESS,
  /** The task is completed, which is final. */
  COMPLETED,
  /** The task cannot continue; it is not offered until an agent starts or resumes it. */
  BLOCKED;

  /** The status with a name such as {@code in_progress}. */
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

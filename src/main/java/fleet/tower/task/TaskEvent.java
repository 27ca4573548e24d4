package fleet.tower.task;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a task; it is written with the change itself and never changed.
 *
 * @param id grows with every event of a store
 * @param by whose request it was
 * @param about whose claim it tells of
 * @param detail a JSON object with what else there is to say
 */
public record TaskEvent(long id, TaskId taskId, Kind kind, TaskCommand.Call by, About about, Instant at,
    String detail) {
  public TaskEvent {
    requireNonNull(taskId);
    requireNonNull(kind);
    requireNonNull(by);
    requireNonNull(about);
    requireNonNull(at);
    requireNonNull(detail);
  }

  /**
   * A claim.
   *
   * @param owner who has or had it; null where there is none
   * @param attempt its number; 0 before the first
   */
  public record About(@Nullable Agent owner, long attempt) {}

  /** What happened. */
  public enum Kind {
    TASK_CREATED,
    /** Somebody has it now, and a new attempt has begun. */
    TASK_CLAIMED,
    /** Its holder has proved to live. */
    TASK_HEARTBEAT,
    /** Its holder gave it back. */
    TASK_RELEASED,
    /** The claim of its owner is over: it had expired. */
    TASK_LOST, TASK_COMPLETED, TASK_BLOCKED;

    /** The kind of a word such as {@code task_claimed}. */
    public static Kind of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** The kind's word in every answer. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

package fleet.tower.task;

import java.time.Instant;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * An event in the history of a task. It is written together with the change and never altered.
 *
 * @param id a number that grows with every event of a store
 * @param by the request that caused the event
 * @param about the claim that the event concerns
 * @param detail a JSON object with more details
 */
public record TaskEvent(long id, TaskId taskId, Kind kind, TaskCommand.Call by, About about, Instant at,
    String detail) {
  /**
   * A claim.
   *
   * @param owner the agent that has or had the claim; null if there is none
   * @param attempt the number of the claim; 0 before the first
   */
  public record About(@Nullable Agent owner, long attempt) {}

  /** The kind of an event. */
  public enum Kind {
    TASK_CREATED,
    /** An agent has claimed the task; a new attempt begins. */
    TASK_CLAIMED,
    /** The holder has renewed its claim. */
    TASK_HEARTBEAT,
    /** The holder has released the task. */
    TASK_RELEASED,
    /** The claim of the owner had expired and was removed. */
    TASK_LOST, TASK_COMPLETED, TASK_BLOCKED;

    /** The kind with a name such as {@code task_claimed}. */
    public static Kind of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** The name of the kind in every answer. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}

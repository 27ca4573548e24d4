package fleet.tower.task.worker;

import org.jspecify.annotations.Nullable;

import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;

/**
 * The claims of one worker, in the database of a home or in a service. After an exception the result of a call is
 * unknown; repeating the call returns it.
 */
public interface Claims {

  /** Claims a task. */
  Offer claim(TaskCommand.Call call, TaskCommand.Claim command);

  /** Renews a claim, closes its task or releases it. */
  Answer perform(TaskCommand.Call call, TaskCommand.ByHolder command);

  /** Whether the cause of an exception may pass in a moment, so that the same call is worth another try. */
  boolean isPassing(RuntimeException thrown);

  /** The result of a call about a claim. */
  enum Answer {
    /** The call was performed. */
    DONE,
    /** The call changed nothing: the agent that does the task has closed or released it already. */
    SETTLED,
    /** The call changed nothing: the claim has expired, or another agent has it. */
    LOST
  }

  /** The answer to a claim. */
  sealed interface Offer {}

  /**
   * The worker has the task for as long as it keeps the claim alive.
   *
   * @param work the intent that does it; null if it names none
   */
  record Claimed(TaskId task, String title, TaskSpec.@Nullable Work work, long attempt) implements Offer {}

  /** No task is available now. */
  record Nothing() implements Offer {}

  /**
   * A halt covers the worker.
   *
   * @param refusal for a worker that does not wait until it is lifted
   */
  record Halted(RuntimeException refusal) implements Offer {}

  /** A task was claimed, but the claim had expired when the answer arrived. */
  record Missed() implements Offer {}
}

package fleet.tower.task.worker;

import static java.util.Objects.requireNonNull;

import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;

/**
 * Where a worker's tasks are kept: the database of a home, or a service. What is thrown means that it is not known what came
 * of a call; the same call again tells.
 */
public interface Claims {

  /** Asks for a task. */
  Offer claim(TaskCommand.Call call, TaskCommand.Claim command);

  /** Renews, closes or gives back. */
  Answer perform(TaskCommand.Call call, TaskCommand.ByHolder command);

  /** Whether what was thrown may be over in a moment, so that the same call is worth another try. */
  boolean isPassing(RuntimeException thrown);

  /** What has become of a claim. */
  enum Answer {
    /** What was asked for is done. */
    DONE,
    /** It is not: whoever does the task has closed it, or given it back, already. */
    SETTLED,
    /** It is not: the claim has expired, or is somebody else's. */
    LOST
  }

  /** The answer to a wish for a task. */
  sealed interface Offer {}

  /** A task, for as long as its claim is kept alive. */
  record Claimed(Task task, long attempt) implements Offer {
    public Claimed {
      requireNonNull(task);
    }
  }

  /** There is none now. */
  record Nothing() implements Offer {}

  /** There was one, and by the time that the answer came the claim had expired. */
  record Missed() implements Offer {}
}

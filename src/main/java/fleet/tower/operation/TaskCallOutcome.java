package fleet.tower.operation;

import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;

/** The outcome of a call about tasks. */
public sealed interface TaskCallOutcome extends Outcome {

  /** A command that changes tasks. */
  record Changed(TaskOutcome outcome, TaskCommand.Call call) implements TaskCallOutcome {}

  /**
   * A new task names an intent that does not exist.
   *
   * @param accepts whether another intent accepts the same parameters
   */
  record NoIntent(SubmitOutcome.UnknownIntent why, Predicate<String> accepts) implements TaskCallOutcome {}

  /** A new task has parameters that its intent does not accept. */
  record Unfit(SubmitOutcome.InvalidParams why, String intent) implements TaskCallOutcome {}

  /** A task; null if there is none. */
  record Viewed(TaskId id, @Nullable Task task) implements TaskCallOutcome {}

  /** A page of the tasks in the order in which they are offered. */
  record Listed(Page page, Rows<Placed<Task>> rows) implements TaskCallOutcome {}

  /** The events of a task, oldest first. */
  record Events(Rows<TaskEvent> rows) implements TaskCallOutcome {}

  /** Passes rows to a reader until it returns false. */
  @FunctionalInterface
  interface Rows<T> {
    void read(Predicate<T> reader);
  }
}

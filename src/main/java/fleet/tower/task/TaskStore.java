package fleet.tower.task;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Where tasks are kept. Every command is one change by one compare-and-set, together with its event and with the record of
 * its request, all or nothing, from this process and any other; the store's own clock decides what has expired. A command
 * that is refused leaves nothing behind. Where storage fails a {@code StorageException} is thrown, and it is not known
 * whether the change was made: the same request again tells.
 */
public interface TaskStore extends AutoCloseable {

  /** Makes a task, under {@code fresh} where the command names no id. */
  TaskOutcome.OfCreate create(TaskCommand.Call call, TaskCommand.Create command, TaskId fresh);

  /**
   * Takes the task with the highest priority, among those the oldest, that is pending or whose claim has expired, and all of
   * whose dependencies are completed.
   */
  TaskOutcome.OfClaim claim(TaskCommand.Call call, TaskCommand.Claim command);

  /**
   * Takes the first of these that is to be had: the agent's focus while that is in progress, or blocked for no
   * {@link TaskCommand.Close#FAILURE}; the best task that is assigned to the agent; the focus when it is pending again; the
   * best of the queue. A focus that somebody else holds is passed over.
   */
  TaskOutcome.OfClaim resume(TaskCommand.Call call, TaskCommand.Resume command);

  TaskOutcome.OfStart start(TaskCommand.Call call, TaskCommand.Start command);

  /** Heartbeat, close and release: by the current holder, in the current attempt, before it expires. */
  TaskOutcome.OfHolder change(TaskCommand.Call call, TaskCommand.ByHolder command);

  TaskOutcome.OfSweep sweep(TaskCommand.Call call, TaskCommand.Sweep command);

  Optional<Task.View> find(TaskId id);

  /** In the order in which they are offered: the highest priority first, then the oldest. */
  Listing list(Query query);

  /** Hands over the tasks of a list until it is answered false; few of them are in memory at once. */
  void read(Query query, Predicate<Task> reader);

  /** The oldest first; an event that is given is never preceded by one that comes later. */
  List<TaskEvent> events(EventQuery query);

  /** The task that an agent is at or was at last. */
  Optional<TaskId> focus(Agent agent);

  @Override
  void close();

  /** Which tasks are wanted; nulls ask for all. */
  record Query(@Nullable TaskStatus status, @Nullable String project, @Nullable Agent claimedBy, int limit) {
    public static final Query ALL = new Query(null, null, null, 1000);
  }

  /** Which events are wanted: of one task, or with null of all; later than the event {@code after}, which may be 0. */
  record EventQuery(@Nullable TaskId taskId, long after, int limit) {}

  /** Tasks, and when the store looked. */
  record Listing(List<Task> tasks, Instant at) {
    public Listing {
      tasks = List.copyOf(tasks);
    }
  }
}

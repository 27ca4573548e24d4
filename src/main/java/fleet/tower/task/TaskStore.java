package fleet.tower.task;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page;
import fleet.tower.platform.list.Page.Placed;

/**
 * The store of tasks. Every command is one compare-and-set, written atomically with its event and the record of its
 * request; other processes may use the store at the same time. The store's own clock decides which claims have expired.
 * A refused command leaves no trace. If the storage fails, a {@code StorageException} is thrown, and it is unknown
 * whether the change was made: repeating the request returns the outcome.
 */
public interface TaskStore extends AutoCloseable {

  /** Creates a task, with the id {@code fresh} if the command names none. */
  TaskOutcome.OfCreate create(TaskCommand.Call call, TaskCommand.Create command, TaskId fresh);

  /**
   * Claims the oldest task with the highest priority that is pending or whose claim has expired, and all of whose
   * dependencies are completed.
   */
  TaskOutcome.OfClaim claim(TaskCommand.Call call, TaskCommand.Claim command);

  /**
   * Claims the first available one of these: the agent's focus if it is in progress, or blocked without a {@link
   * TaskCommand.Close#FAILURE}; the best task that is assigned to the agent; the focus if it is pending again; the best
   * task of the queue. A focus that another agent holds is skipped.
   */
  TaskOutcome.OfClaim resume(TaskCommand.Call call, TaskCommand.Resume command);

  TaskOutcome.OfStart start(TaskCommand.Call call, TaskCommand.Start command);

  /** Performs a heartbeat, close or release of the current holder, in the current attempt, before the claim expires. */
  TaskOutcome.OfHolder change(TaskCommand.Call call, TaskCommand.ByHolder command);

  TaskOutcome.OfExpire expire(TaskCommand.Call call, TaskCommand.Expire command);

  Optional<Task.View> find(TaskId id);

  /** Lists tasks in the order in which they are offered: highest priority first, then the oldest. */
  Listing list(Query query);

  /** Passes tasks to the reader until it returns false; only a few of them are in memory at once. */
  void read(Query query, Predicate<Placed<Task>> reader);

  /** Lists events, oldest first; no event that is written later has a smaller id than a listed one. */
  List<TaskEvent> events(EventQuery query);

  /** The task that an agent works on or worked on last. */
  Optional<TaskId> focus(Agent agent);

  @Override
  void close();

  /**
   * A query for tasks; null matches all.
   *
   * @param after the place after which reading begins
   */
  record Query(@Nullable TaskStatus status, @Nullable String project, @Nullable Agent claimedBy, int limit,
      @Nullable Cursor after) {
    public static final Query ALL = new Query(null, null, null, 1000);

    /** A query for the tasks that are offered first. */
    public Query(@Nullable TaskStatus status, @Nullable String project, @Nullable Agent claimedBy, int limit) {
      this(status, project, claimedBy, limit, null);
    }

    /** A page of the list; {@link #limit} is the number of its rows. */
    public Page page(@Nullable String cursor) {
      return Page.of(Page.list("tasks", status, project, claimedBy == null ? null : claimedBy.name()), limit, cursor);
    }

    /** The query that reads a page. */
    public Query of(Page page) {
      return new Query(status, project, claimedBy, page.toRead(), page.after());
    }
  }

  /** A query for the events of one task, or of all if it is null, with an id greater than {@code after}. */
  record EventQuery(@Nullable TaskId taskId, long after, int limit) {}

  /** Tasks, and the time when the store read them. */
  record Listing(List<Task> tasks, Instant at) {
    public Listing {
      tasks = List.copyOf(tasks);
    }
  }
}

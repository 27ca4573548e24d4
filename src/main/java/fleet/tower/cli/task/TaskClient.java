package fleet.tower.cli.task;

import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.intent.Values;
import fleet.tower.platform.list.Rows;
import fleet.tower.platform.time.Notices;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStore;

/**
 * The tasks of a home or of a service. A refusal of the service is thrown as {@link
 * fleet.tower.answer.RemoteRefusal}; so is the rejection of parameters that an intent does not accept.
 */
public interface TaskClient extends AutoCloseable {

  TaskOutcome perform(TaskCommand.Call call, TaskCommand command);

  Optional<Task> find(TaskId id);

  /** A page of the tasks; {@code cursor} is null for the first page. */
  Rows<Task> list(TaskStore.Query query, @Nullable String cursor);

  /** The events of a task after an event; none if the task does not exist. */
  Rows<TaskEvent> events(TaskId id, long after, int limit);

  /** The intent and parameters of a task, each value in the type that the intent declares. */
  TaskSpec.Work work(String intent, Map<String, Values.Given> params);

  /** Whether the intents of the tasks are those of this home, so that this process may run them. */
  boolean hasIntentsHere();

  /** The notices that a task may have become available. */
  Notices notices();

  @Override
  void close();
}

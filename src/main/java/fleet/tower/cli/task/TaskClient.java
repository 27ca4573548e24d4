package fleet.tower.cli.task;

import java.util.Map;
import java.util.Optional;

import fleet.tower.intent.Values;
import fleet.tower.platform.json.Rows;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStore;

/**
 * Where tasks are asked for: the database of a home, or a service. Where it cannot be asked, and where an intent does not
 * take what a task has for it, its own answer is thrown.
 */
public interface TaskClient extends AutoCloseable {

  TaskAnswer perform(TaskCommand.Call call, TaskCommand command);

  Optional<Task> find(TaskId id);

  Rows<Task> list(TaskStore.Query query);

  /** What happened to a task behind an event; nothing where there is no such task. */
  Rows<TaskEvent> events(TaskId id, long after, int limit);

  /** What an intent is to do, with each value in the type that the intent has it in. */
  TaskSpec.Work work(String intent, Map<String, Values.Given> params);

  @Override
  void close();
}

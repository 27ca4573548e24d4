package fleet.tower.service.call.overview;

import java.util.List;

import fleet.tower.answer.TaskJson;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;
import fleet.tower.task.Tasks;

/** The unfinished tasks: claimed ones first, then blocked ones, then the others in the order of the queue. */
final class TaskSource implements OverviewSource {
  private static final String TASKS = "tasks";
  private static final int MOST = 1000;
  private static final List<TaskStatus> UNFINISHED = List.of(TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED,
      TaskStatus.PENDING);

  private final Tasks tasks;

  TaskSource(Tasks tasks) {
    this.tasks = tasks;
  }

  @Override
  public List<String> sections() {
    return List.of(TASKS);
  }

  @Override
  public Rows read() {
    Builder rows = Rows.of(sections());
    int[] left = {MOST};
    for (TaskStatus status : UNFINISHED) {
      tasks.read(new TaskStore.Query(status, null, null, left[0] + 1), task -> {
        if (left[0] == 0) {
          rows.truncate(TASKS);
          return false;
        }
        left[0]--;
        rows.put(TASKS, task.row().id().value(), TaskJson.summary(task.row()));
        return true;
      });
    }
    return rows.build();
  }
}

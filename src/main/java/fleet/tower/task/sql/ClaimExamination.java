package fleet.tower.task.sql;

import java.util.List;
import java.util.function.Supplier;

import fleet.tower.platform.Examination;
import fleet.tower.platform.Finding;
import fleet.tower.platform.StorageException;
import fleet.tower.task.Task;
import fleet.tower.task.TaskStatus;
import fleet.tower.task.TaskStore;

/** The examination of claims that have expired and whose tasks are not claimed again. */
final class ClaimExamination implements Examination {
  private static final String CHECK = "task claims";
  private static final TaskStore.Query AT_WORK = new TaskStore.Query(TaskStatus.IN_PROGRESS, null, null, 10_000);

  private final Supplier<TaskStore> tasks;

  ClaimExamination(Supplier<TaskStore> tasks) {
    this.tasks = tasks;
  }

  @Override
  public List<Finding> examine() {
    try (TaskStore store = tasks.get()) {
      List<Task> atWork = store.list(AT_WORK).tasks();
      List<String> stale = atWork.stream().filter(ClaimExamination::isStale).map(task -> task.id().value()).toList();
      return List.of(stale.isEmpty()
          ? Finding.ok(CHECK, atWork.size() + " active, none has expired")
          : Finding.warn(CHECK, stale.size() + " expired, and the tasks are not claimed again: "
              + String.join(", ", stale.subList(0, Math.min(5, stale.size()))) + (stale.size() > 5 ? ", …" : ""),
              "the next claim may take them; to release them now: tower task gc"));
    } catch (StorageException e) {
      return List.of(Finding.warn(CHECK, "cannot be read", String.valueOf(e.getMessage())));
    }
  }

  private static boolean isStale(Task task) {
    Task.Claim claim = task.claim();
    return claim != null && !claim.isActive();
  }
}

package fleet.tower.task;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;

/** The id of a task, unique in its database. */
public record TaskId(String value) {
  public TaskId {
    if (!RequestId.isValid(value)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "task id " + InvalidValue.shown(value)
          + " is not 1 to 128 of A-Z a-z 0-9 . _ : - beginning with a letter or digit");
    }
  }

  /** A new task id: {@code task_} and the given random id without its {@code req_}. */
  public static TaskId fresh(RequestId random) {
    return new TaskId("task_" + random.value().replaceFirst("^req_", ""));
  }

  @Override
  public String toString() {
    return value;
  }
}

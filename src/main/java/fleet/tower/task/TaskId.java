package fleet.tower.task;

import static java.util.Objects.requireNonNull;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.InvalidValue;

/** Identifies a task for as long as its database lives. */
public record TaskId(String value) {
  public TaskId {
    requireNonNull(value);
    if (!RequestId.isValid(value)) {
      throw new InvalidValue(InvalidValue.Kind.REQUEST, "task id " + InvalidValue.shown(value)
          + " is not 1 to 128 of A-Z a-z 0-9 . _ : - beginning with a letter or digit; see tower task list");
    }
  }

  /** The id of a task that is made by a request: {@code task_} and what follows {@code req_}, where the id was made here. */
  public static TaskId fresh(RequestId random) {
    return new TaskId("task_" + random.value().replaceFirst("^req_", ""));
  }

  @Override
  public String toString() {
    return value;
  }
}

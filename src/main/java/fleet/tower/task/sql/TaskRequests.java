package fleet.tower.task.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;

/** The table of granted requests. Refused requests are not in it. */
final class TaskRequests {
  private static final String FIND = """
      SELECT command, arguments, task_id, attempt, first_event, last_event, token FROM task_requests \
      WHERE agent = ? AND request_id = ?""";
  private static final String INSERT = NamedValues.insertion("task_requests",
      "agent, request_id, command, arguments, task_id, attempt, first_event, last_event, token")
      + " ON CONFLICT DO NOTHING";

  private TaskRequests() {}

  /**
   * A request that was granted.
   *
   * @param taskId the task that it claimed or changed; null if it concerns no single task
   * @param attempt the attempt of the claim; 0 if it concerns none
   * @param token the name of the token that made it; null if none did
   */
  record Prior(String command, String arguments, @Nullable TaskId taskId, long attempt, long firstEvent,
      long lastEvent, @Nullable String token) {
    boolean isSameAs(TaskCommand.Call call, TaskCommand again) {
      return (call.token() == null || call.token().equals(token)) && command.equals(again.word())
          && arguments.equals(again.arguments());
    }
  }

  /** Another transaction has granted the same request at the same time; this one must be rolled back. */
  static final class Overtaken extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  static Optional<Prior> find(Session session, TaskCommand.Call call) throws SQLException {
    return session.first(FIND, row -> {
      String task = row.getString(3);
      return new Prior(row.getString(1), row.getString(2), task == null ? null : new TaskId(task), row.getLong(4),
          row.getLong(5), row.getLong(6), row.getString(7));
    }, call.agent().name(), call.requestId().value());
  }

  /** Records a granted request with its events. */
  static void keep(Session session, TaskCommand.Call call, TaskCommand command, @Nullable TaskId task,
      List<TaskEvent> events) throws SQLException {
    long attempt = task == null ? 0 : events.getLast().about().attempt();
    int kept = session.update(INSERT, new NamedValues().put("agent", call.agent().name())
        .put("request_id", call.requestId().value()).put("command", command.word())
        .put("arguments", command.arguments()).put("task_id", task == null ? null : task.value())
        .put("attempt", attempt).put("first_event", events.isEmpty() ? null : events.getFirst().id())
        .put("last_event", events.isEmpty() ? null : events.getLast().id()).put("token", call.token()));
    if (kept == 0) {
      throw new Overtaken();
    }
  }
}

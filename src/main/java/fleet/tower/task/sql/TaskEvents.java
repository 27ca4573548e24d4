package fleet.tower.task.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.sql.Database;
import fleet.tower.platform.sql.NamedValues;
import fleet.tower.platform.sql.Session;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskEvent;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskStore;

/** The table of task events. */
final class TaskEvents {
  private static final String INSERT = NamedValues.insertion("task_events",
      "task_id, kind, agent, request_id, owner, attempt, at, detail") + " RETURNING id";
  private static final String LOOK = """
      SELECT id, task_id, kind, agent, request_id, owner, attempt, at, detail FROM task_events\s""";
  private static final String OF_TASK = LOOK + "WHERE task_id = ? AND id > ? ORDER BY id LIMIT ?";
  private static final String OF_ALL = LOOK + "WHERE id > ? ORDER BY id LIMIT ?";
  private static final String OF_REQUEST = LOOK
      + "WHERE id BETWEEN ? AND ? AND agent = ? AND request_id = ? ORDER BY id";
  private static final String IS_OVER = """
      SELECT 1 FROM task_events WHERE task_id = ? AND attempt = ? \
      AND kind IN ('task_completed', 'task_blocked', 'task_released') LIMIT 1""";

  private TaskEvents() {}

  /** Writes an event; the database numbers it. */
  static TaskEvent append(Session session, TaskRow row, TaskEvent.Kind kind, TaskCommand.Call by, TaskEvent.About about,
      JsonWriter detail) throws SQLException {
    Agent owner = about.owner();
    String text = detail.end();
    long id = session.first(INSERT, found -> found.getLong(1), new NamedValues()
        .put("task_id", row.task().id().value()).put("kind", kind.toString()).put("agent", by.agent().name())
        .put("request_id", by.requestId().value()).put("owner", owner == null ? null : owner.name())
        .put("attempt", about.attempt()).put("at", row.at().toEpochMilli()).put("detail", text)).orElseThrow();
    return new TaskEvent(id, row.task().id(), kind, by, about, row.at(), text);
  }

  /** The events of one request, whose ids are between two numbers. */
  static List<TaskEvent> of(Session session, TaskCommand.Call call, long first, long last) throws SQLException {
    return session.query(OF_REQUEST, TaskEvents::read, first, last, call.agent().name(), call.requestId().value());
  }

  /** Whether the holder of an attempt has closed or released it. */
  static boolean isOver(Session session, TaskId task, long attempt) throws SQLException {
    return session.first(IS_OVER, row -> row.getInt(1), task.value(), attempt).isPresent();
  }

  /**
   * The events that a query matches. The events of one task are in the order of their transactions, because these wait
   * for each other. Across tasks, an event with a higher number may be committed before one with a lower number, and a
   * reader that has seen the higher one would never see the other. So if there are events and several writers are
   * possible, this method waits for the writers and reads again.
   */
  static List<TaskEvent> find(Database database, TaskStore.EventQuery query) {
    int limit = Math.max(0, query.limit());
    TaskId task = query.taskId();
    if (task != null) {
      return database.read(session -> session.query(OF_TASK, TaskEvents::read, task.value(), query.after(), limit))
          .orElse(List.of());
    }
    List<TaskEvent> found = database.read(session -> ofAll(session, query.after(), limit)).orElse(List.of());
    return found.isEmpty() || database.isOfOneHost() ? found : database.writeSwiftly(session -> {
      session.update("LOCK TABLE task_events IN SHARE MODE");
      return ofAll(session, query.after(), limit);
    });
  }

  private static List<TaskEvent> ofAll(Session session, long after, int limit) throws SQLException {
    return session.query(OF_ALL, TaskEvents::read, after, limit);
  }

  private static TaskEvent read(ResultSet row) throws SQLException {
    String owner = row.getString("owner");
    return new TaskEvent(row.getLong("id"), new TaskId(row.getString("task_id")),
        TaskEvent.Kind.of(row.getString("kind")),
        new TaskCommand.Call(new Agent(row.getString("agent")), new RequestId(row.getString("request_id")), null),
        new TaskEvent.About(owner == null ? null : new Agent(owner), row.getLong("attempt")),
        Instant.ofEpochMilli(row.getLong("at")), row.getString("detail"));
  }
}

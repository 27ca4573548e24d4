package fleet.tower.task.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.list.Cursor;
import fleet.tower.platform.list.Page.Placed;
import fleet.tower.task.Agent;
import fleet.tower.task.Task;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;

/**
 * A row of the table of tasks.
 *
 * @param sequence the order of creation
 * @param openDependencies the number of dependencies that are not completed
 * @param at the database's time when it was read
 */
record TaskRow(Task task, long sequence, int openDependencies, Instant at) {
  /** The columns that {@link #read} reads; the time and whether the claim is active follow. */
  static final String COLUMNS = """
      id, sequence, title, description, priority, depends_on, project, assignee, intent, params, open_dependencies, \
      status, blocked_reason, claimed_by, claimed_with, claimed_at, claim_expires_at, last_heartbeat_at, attempt, version, \
      created_by, created_at""";

  static TaskRow read(ResultSet row) throws SQLException {
    Task task = new Task(new TaskId(row.getString("id")), spec(row), status(row), row.getString("blocked_reason"),
        claim(row), row.getLong("attempt"),
        new Task.Origin(new Agent(row.getString("created_by")), moment(row, "created_at"), row.getLong("version")));
    return new TaskRow(task, row.getLong("sequence"), row.getInt("open_dependencies"), moment(row, "seen_at"));
  }

  Task.View view() {
    return new Task.View(task, at);
  }

  /** The task with its place in the order in which tasks are offered. */
  Placed<Task> placed() {
    return new Placed<>(task, Cursor.of(task.spec().priority(), sequence));
  }

  boolean isActive() {
    Task.Claim claim = task.claim();
    return claim != null && claim.isActive();
  }

  /** Whether a claim, which may have expired, is the caller's. */
  boolean isClaimedBy(TaskCommand.Call call) {
    Task.Claim claim = task.claim();
    return claim != null && claim.agent().equals(call.agent())
        && (call.token() == null || call.token().equals(claim.token()));
  }

  /** The ids as the text of one column, separated by spaces, which no id contains. */
  static String joined(List<TaskId> ids) {
    return String.join(" ", ids.stream().map(TaskId::value).toList());
  }

  private static TaskSpec spec(ResultSet row) throws SQLException {
    String dependencies = row.getString("depends_on");
    String assignee = row.getString("assignee");
    String intent = row.getString("intent");
    return new TaskSpec(row.getString("title"), row.getString("description"), row.getInt("priority"),
        dependencies.isEmpty() ? List.of() : Arrays.stream(dependencies.split(" ", -1)).map(TaskId::new).toList(),
        row.getString("project"), assignee == null ? null : new Agent(assignee),
        intent == null ? null : new TaskSpec.Work(intent, row.getString("params")));
  }

  private static TaskStatus status(ResultSet row) throws SQLException {
    String word = row.getString("status");
    return TaskStatus.of(word).orElseThrow(() -> new SQLException("no task has the status " + word));
  }

  private static Task.@Nullable Claim claim(ResultSet row) throws SQLException {
    String agent = row.getString("claimed_by");
    return agent == null
        ? null
        : new Task.Claim(new Agent(agent), row.getString("claimed_with"), moment(row, "claimed_at"),
            moment(row, "claim_expires_at"),
            moment(row, "last_heartbeat_at"), row.getInt("is_active") == 1);
  }

  private static Instant moment(ResultSet row, String column) throws SQLException {
    return Instant.ofEpochMilli(row.getLong(column));
  }
}

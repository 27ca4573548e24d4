package fleet.tower.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import org.jspecify.annotations.Nullable;

/** The bare statements of a claim: the request lookup, the next task, its change, its records. */
final class BareTasks {
  private final PreparedStatement begin;
  private final PreparedStatement commit;
  private final PreparedStatement known;
  private final PreparedStatement next;
  private final PreparedStatement take;
  private final PreparedStatement event;
  private final PreparedStatement focus;
  private final PreparedStatement request;

  BareTasks(Connection connection, boolean isSqlite) throws SQLException {
    begin = connection.prepareStatement(isSqlite ? "BEGIN IMMEDIATE" : "BEGIN");
    commit = connection.prepareStatement("COMMIT");
    String now = isSqlite
        ? "CAST(unixepoch('subsec') * 1000 AS INTEGER)"
        : "CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000 AS BIGINT)";
    known = connection.prepareStatement("SELECT task_id FROM task_requests WHERE agent = ? AND request_id = ?");
    next = connection.prepareStatement("SELECT id, version FROM tasks WHERE status IN ('pending', 'in_progress') "
        + "AND open_dependencies = 0 AND (claim_expires_at IS NULL OR claim_expires_at < " + now
        + ") ORDER BY priority DESC, sequence LIMIT 1" + (isSqlite ? "" : " FOR UPDATE SKIP LOCKED"));
    take = connection.prepareStatement("UPDATE tasks SET status = 'in_progress', claimed_by = ?, claimed_at = " + now
        + ", claim_expires_at = " + now + " + 300000, last_heartbeat_at = " + now
        + ", attempt = attempt + 1, version = version + 1 WHERE id = ? AND version = ? "
        + "AND (claim_expires_at IS NULL OR claim_expires_at < " + now + ") RETURNING attempt");
    event = connection
        .prepareStatement("INSERT INTO task_events (task_id, kind, agent, request_id, owner, attempt, at, "
            + "detail) VALUES (?, 'task_claimed', ?, ?, ?, 1, 0, '{\"from\":\"pending\",\"ttl_seconds\":300}') RETURNING id");
    focus = connection.prepareStatement("INSERT INTO task_agents (agent, focus) VALUES (?, ?) "
        + "ON CONFLICT (agent) DO UPDATE SET focus = excluded.focus");
    request = connection.prepareStatement("INSERT INTO task_requests (agent, request_id, command, arguments, task_id, "
        + "attempt, first_event, last_event) VALUES (?, ?, 'claim', '{\"project\":null,\"ttl_seconds\":300}', ?, 1, ?, ?) "
        + "ON CONFLICT DO NOTHING");
  }

  void claim(String agent, String requestId) throws SQLException {
    begin.executeUpdate();
    LockBench.expect(first(known, agent, requestId) == null);
    String task = String.valueOf(first(next));
    long version = 1;
    LockBench.expect(first(take, agent, task, version) != null);
    long number = Long.parseLong(String.valueOf(first(event, task, agent, requestId, agent)));
    change(focus, agent, task);
    change(request, agent, requestId, task, number, number);
    commit.executeUpdate();
  }

  private static @Nullable String first(PreparedStatement statement, Object... values)
      throws SQLException {
    fill(statement, values);
    try (ResultSet rows = statement.executeQuery()) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  private static void change(PreparedStatement statement, Object... values) throws SQLException {
    fill(statement, values);
    LockBench.expect(statement.executeUpdate() == 1);
  }

  private static void fill(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }
}

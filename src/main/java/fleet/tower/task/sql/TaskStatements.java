package fleet.tower.task.sql;

import java.util.stream.Collectors;

import fleet.tower.task.TaskTransition;

/**
 * The SQL statements on the table of tasks. Each one that changes a task is a compare-and-set: its condition contains
 * everything that must hold, by the database's clock within the statement.
 */
final class TaskStatements {
  private TaskStatements() {}

  /**
   * The condition that a claim has not expired; in the millisecond of its expiry it is still active. By the values of
   * {@link Boot}, a claim of this boot is judged by the clock since boot, unless that clock seems to have
   * run backwards.
   */
  static final String ACTIVE = """
      (claimed_by IS NOT NULL AND CASE WHEN boot_id = :boot AND boot_beat <= :boot_millis \
      THEN boot_until >= :boot_millis ELSE claim_expires_at >= {{now}} END)""";

  static final String LOOK = "SELECT " + TaskRow.COLUMNS + ", {{now}} AS seen_at, CASE WHEN " + ACTIVE
      + " THEN 1 ELSE 0 END AS is_active FROM tasks";

  private static final String RETURNING = " RETURNING " + TaskRow.COLUMNS + ", {{now}} AS seen_at, 1 AS is_active";

  static final String FIND = LOOK + " WHERE id = :id";

  private static final String OFFERED = " WHERE status IN ('pending', 'in_progress') AND open_dependencies = 0 AND NOT "
      + ACTIVE;

  private static final String FIRST = " ORDER BY priority DESC, sequence LIMIT 1";

  /** The first offered task: of all, of a project, for an agent, with an intent. */
  enum Queue {
    ALL(""), OF_PROJECT(" AND project = :project"), OF_ASSIGNEE(" AND assignee = :agent"), OF_ASSIGNEE_AND_PROJECT(
        " AND assignee = :agent AND project = :project"), OF_INTENTS(
            " AND intent IS NOT NULL"), OF_INTENTS_AND_PROJECT(" AND intent IS NOT NULL AND project = :project");

    private final String first;

    Queue(String condition) {
      first = LOOK + OFFERED + condition + FIRST;
    }

    /** Skips tasks that other transactions are about to claim. */
    String first() {
      return first + "{{lock_free}}";
    }

    /** Waits for transactions that are about to claim a task. */
    String firstOfAll() {
      return first + "{{lock}}";
    }
  }

  private static final String TAKE = """
      UPDATE tasks SET status = 'in_progress', blocked_reason = NULL, \
      claimed_by = :agent, claimed_with = :token, claimed_at = {{now}}, claim_expires_at = {{now}} + :ttl_millis, \
      last_heartbeat_at = {{now}}, boot_id = :boot, boot_beat = :boot_millis, boot_until = :boot_until, \
      attempt = attempt + 1, version = version + 1 \
      WHERE id = :id AND version = :version AND open_dependencies = 0 AND\s""";

  /** Claims a task that is not held. */
  static String take(TaskTransition move) {
    return TAKE + from(move) + " AND NOT " + ACTIVE + RETURNING;
  }

  /** A token that is null equals every other. */
  private static final String OWNED = " WHERE id = :id AND claimed_by = :agent"
      + " AND COALESCE(:token, claimed_with, '') = COALESCE(claimed_with, '') AND " + ACTIVE + " AND ";

  /** Compares the agent, the token, and the attempt if one is given. */
  private static String owned(boolean isAttemptGiven, TaskTransition move) {
    return OWNED + from(move) + (isAttemptGiven ? " AND attempt = :attempt" : "") + RETURNING;
  }

  /** Renews a claim; never shortens it. */
  static String renew(boolean isAttemptGiven) {
    return """
        UPDATE tasks SET claim_expires_at = CASE WHEN claim_expires_at > {{now}} + :ttl_millis \
        THEN claim_expires_at ELSE {{now}} + :ttl_millis END, \
        boot_until = CASE WHEN boot_id = :boot AND boot_until > :boot_until THEN boot_until ELSE :boot_until END, \
        boot_id = :boot, boot_beat = :boot_millis, last_heartbeat_at = {{now}}, version = version + 1"""
        + owned(isAttemptGiven, TaskTransition.HEARTBEAT);
  }

  static final String KEEP_PACE = """
      UPDATE tasks SET boot_beat = boot_beat + ?, boot_until = boot_until + ? WHERE id = ?""";

  private static final String UNCLAIM = """
      claimed_by = NULL, claimed_with = NULL, claimed_at = NULL, claim_expires_at = NULL, last_heartbeat_at = NULL, \
      boot_id = NULL, boot_beat = NULL, boot_until = NULL, version = version + 1""";

  /** Ends a claim. */
  static String end(boolean isAttemptGiven, TaskTransition move) {
    return "UPDATE tasks SET status = '" + move.to() + "', blocked_reason = :reason, " + UNCLAIM
        + owned(isAttemptGiven, move);
  }

  static final String EXPIRED = LOOK + " WHERE claimed_by IS NOT NULL AND NOT " + ACTIVE
      + " ORDER BY sequence LIMIT 1000{{lock_free}}";

  static final String EXPIRE = "UPDATE tasks SET status = '" + TaskTransition.EXPIRE.to() + "', " + UNCLAIM
      + " WHERE id = :id AND version = :version AND " + from(TaskTransition.EXPIRE) + " AND NOT " + ACTIVE + RETURNING;

  static final String INSERT = """
      INSERT INTO tasks (id, title, description, priority, depends_on, project, assignee, intent, params, \
      open_dependencies, status, created_by, created_at) VALUES (:id, :title, :description, :priority, :depends_on, :project, \
      :assignee, :intent, :params, :open_dependencies, 'pending', :created_by, {{now}}) ON CONFLICT (id) DO NOTHING"""
      + RETURNING;

  static final String DEPEND = "INSERT INTO task_dependencies (depends_on, task_id) VALUES (?, ?)";

  /** The task cannot be completed before this transaction has recorded the dependency on it. */
  static final String DEPENDENCY = "SELECT status FROM tasks WHERE id = ?{{share}}";

  static final String OPEN_DEPENDENCIES = """
      SELECT d.depends_on FROM task_dependencies d JOIN tasks t ON t.id = d.depends_on \
      WHERE d.task_id = ? AND t.status <> 'completed' ORDER BY t.sequence""";

  static final String FREE_DEPENDENTS = """
      UPDATE tasks SET open_dependencies = open_dependencies - 1 \
      WHERE id IN (SELECT task_id FROM task_dependencies WHERE depends_on = ?)""";

  static final String FOCUS = "SELECT focus FROM task_agents WHERE agent = ?";

  static final String SET_FOCUS = """
      INSERT INTO task_agents (agent, focus) VALUES (?, ?) ON CONFLICT (agent) DO UPDATE SET focus = excluded.focus""";

  private static String from(TaskTransition move) {
    return "status IN ("
        + move.from().stream().map(status -> "'" + status + "'").collect(Collectors.joining(", ")) + ")";
  }
}

package fleet.tower.task.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.ManualTime;
import fleet.tower.task.TaskSteps;
import fleet.tower.task.TaskStore;

@DisplayName("The cost of a claim does not grow with the number of tasks")
class TaskPlanTest extends TaskSteps {
  private static final Map<TaskStatements.Queue, String> QUEUES = Map.of(TaskStatements.Queue.ALL, "tasks_queue",
      TaskStatements.Queue.OF_PROJECT, "tasks_queue_of_project", TaskStatements.Queue.OF_ASSIGNEE,
      "tasks_queue_of_assignee",
      TaskStatements.Queue.OF_INTENTS, "tasks_queue_of_intents");
  private TaskStore store;
  private final Path home;

  TaskPlanTest(@TempDir Path home) {
    this.home = home;
    this.store = new SqlTasks(sqlite(), new ManualTime()).open();
  }

  private String sqlite() {
    return "jdbc:sqlite:" + home.resolve("state/tower.db");
  }

  @Override
  protected TaskStore store() {
    return store;
  }

  @Override
  protected void pass(Duration duration) {
    throw new IllegalStateException("no time passes here");
  }

  @Test
  @DisplayName("VB-14 in SQLite the queue is read from its index, in its order, without a sort")
  void sqlitePlans() {
    create("t");
    store.close();
    TaskDatabase database = new TaskDatabase(sqlite());
    QUEUES.forEach((queue, index) -> assertThat(String.join("\n", database.look("EXPLAIN QUERY PLAN " + sqlite(queue))))
        .matches("(?s).* tasks USING INDEX " + index + "( .*)?").doesNotContain("TEMP B-TREE"));
  }

  private static String sqlite(TaskStatements.Queue queue) {
    return filled(queue.first().replace("{{now}}", "0").replace("{{lock_free}}", ""));
  }

  @Test
  @DisplayName("VB-14 in PostgreSQL with 20,000 tasks the queue is read from its index, in its order, without a sort")
  void postgresPlans() {
    store.close();
    TaskDatabase database = new TaskDatabase(PostgresServer.newDatabase());
    store = new SqlTasks(database.url(), new ManualTime()).open();
    create("t");
    store.close();
    database.change(
        """
            INSERT INTO tasks (id, title, description, priority, depends_on, project, assignee, open_dependencies, status, \
            created_by, created_at) SELECT 'x' || n, 'x', '', n % 10, '', 'p' || n % 3, 'a' || n % 3, 0, 'pending', 'ann', 0 \
            FROM generate_series(1, 20000) n""");
    database.change("ANALYZE tasks");
    QUEUES.forEach((queue, index) -> {
      String plan = String.join("\n", database.look("EXPLAIN " + filled(queue.first()
          .replace("{{now}}", "0").replace("{{lock_free}}", " FOR UPDATE SKIP LOCKED"))));
      assertThat(plan.toLowerCase(Locale.ROOT)).contains("using " + index + " ").doesNotContain("sort")
          .doesNotContain("seq scan");
    });
  }

  private static String filled(String statement) {
    return statement.replace(":boot_millis", "0").replace(":boot", "'b'").replace(":agent", "'a1'")
        .replace(":project", "'p1'");
  }
}

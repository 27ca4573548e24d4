package fleet.tower.bench;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import fleet.tower.lease.RequestId;
import fleet.tower.performance.Measure;
import fleet.tower.performance.Report;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskId;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStore;
import fleet.tower.task.sql.SqlTasks;

/** A benchmark of task claims by eight processes against the same bare statements, and with many tasks against few. */
final class TasksBench {
  private static final int PROCESSES = 8;
  private static final int CLAIMS = 100;
  private static final int ROUNDS = 5;
  /** More than are claimed during the warm-up, whose length is a time. */
  private static final int MANY = 100_000;
  private static final int SINGLE_CLAIMS = 300;

  private final Path base;

  TasksBench(Path base) {
    this.base = base;
  }

  void run(Report report) throws Exception {
    together("jdbc:sqlite:" + base.resolve("tasks/tower.db")).report(report, Measure.CLAIM_SQLITE);
    together(PostgresServer.newDatabase()).report(report, Measure.CLAIM_POSTGRES);
    alone("jdbc:sqlite:" + base.resolve("many/tower.db"), "jdbc:sqlite:" + base.resolve("few/tower.db"))
        .report(report, Measure.CLAIM_MANY_SQLITE);
    alone(PostgresServer.newDatabase(), PostgresServer.newDatabase()).report(report, Measure.CLAIM_MANY_POSTGRES);
  }

  private static Comparison together(String url) throws Exception {
    fill(url, MANY);
    List<Process> ours = TasksMain.start(PROCESSES, url, "store");
    List<Process> bare = TasksMain.start(PROCESSES, url, "bare");
    try {
      return Comparison.of(ROUNDS, PROCESSES * CLAIMS, times -> all(ours, times / PROCESSES),
          times -> all(bare, times / PROCESSES));
    } finally {
      ours.forEach(Process::destroyForcibly);
      bare.forEach(Process::destroyForcibly);
    }
  }

  /** Each process does so many claims; the measurement ends with the last one. */
  private static void all(List<Process> processes, int claims) throws Exception {
    for (Process process : processes) {
      process.outputWriter(StandardCharsets.UTF_8).append(Integer.toString(claims)).append('\n').flush();
    }
    for (Process process : processes) {
      LockBench.expect("done".equals(process.inputReader(StandardCharsets.UTF_8).readLine()));
    }
  }

  private static Comparison alone(String many, String few) throws Exception {
    fill(many, MANY);
    fill(few, 1000);
    Comparison comparison = new Comparison();
    try (TaskStore large = open(many); TaskStore small = open(few)) {
      for (int i = 0; i < SINGLE_CLAIMS; i++) {
        int number = i;
        comparison.add(Comparison.nanos(1, _ -> claim(large, number)), Comparison.nanos(1, _ -> claim(small, number)));
      }
    }
    return comparison;
  }

  private static void claim(TaskStore store, int number) {
    TaskCommand.Call call = new TaskCommand.Call(new Agent("bench"), new RequestId("r" + number), null);
    LockBench.expect(
        store.claim(call, new TaskCommand.Claim(null, TaskCommand.DEFAULT_TTL, false)) instanceof TaskOutcome.Done);
  }

  private static TaskStore open(String url) {
    return new SqlTasks(url, SystemTime.source()).open();
  }

  /** Inserts so many tasks by one statement that bypasses the store. */
  private static void fill(String url, int tasks) throws SQLException {
    try (TaskStore store = open(url)) {
      TaskId first = new TaskId("first");
      store.create(new TaskCommand.Call(new Agent("bench"), new RequestId("first"), null),
          new TaskCommand.Create(first, TaskSpec.of("first")), first);
    }
    try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO tasks (id, title, description, priority, depends_on, open_dependencies, status, "
          + "created_by, created_at) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + tasks
          + ") SELECT 't' || i, 'work', '', i % 10, '', 0, 'pending', 'bench', 0 FROM n");
      statement.execute("ANALYZE");
    }
  }
}

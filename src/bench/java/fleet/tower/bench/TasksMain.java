package fleet.tower.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import fleet.tower.lease.RequestId;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.task.Agent;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskOutcome;
import fleet.tower.task.TaskStore;
import fleet.tower.task.sql.SqlTasks;

/** A process that claims as many tasks as each input line says, through the store or by the bare statements. */
final class TasksMain {
  private final String agent;
  private int requests;

  private TasksMain(String agent) {
    this.agent = agent;
  }

  static List<Process> start(int processes, String url, String kind) throws IOException {
    List<Process> started = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      started.add(new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(),
          "-XX:+UseSerialGC", "-Xmx96m", "-Dslf4j.internal.verbosity=ERROR", "--enable-native-access=ALL-UNNAMED",
          "-cp",
          System.getProperty("java.class.path"), TasksMain.class.getName(), url, kind, kind + "-" + i)
          .redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }
    return started;
  }

  /** Arguments: the database's URL, {@code store} or {@code bare}, the agent. */
  static void main(String[] arguments) throws IOException, SQLException {
    TasksMain main = new TasksMain(arguments[2]);
    String url = arguments[0];
    if (arguments[1].equals("store")) {
      try (TaskStore store = new SqlTasks(url, SystemTime.source()).open()) {
        obey(() -> main.claim(store));
      }
    } else {
      boolean isSqlite = url.startsWith("jdbc:sqlite:");
      try (Connection connection = DriverManager
          .getConnection(isSqlite ? url + "?synchronous=FULL&busy_timeout=60000" : url)) {
        BareTasks bare = new BareTasks(connection, isSqlite);
        obey(() -> bare.claim(main.agent, main.agent + "-" + main.requests++));
      }
    }
  }

  /** One claim. */
  private interface Piece {
    void run() throws SQLException;
  }

  private static void obey(Piece claim) throws IOException, SQLException {
    try (BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String order = orders.readLine(); order != null; order = orders.readLine()) {
        for (int i = 0; i < Integer.parseInt(order); i++) {
          claim.run();
        }
        System.out.println("done");
      }
    }
  }

  private void claim(TaskStore store) {
    TaskCommand.Call call = new TaskCommand.Call(new Agent(agent), new RequestId("r" + requests++), null);
    LockBench.expect(
        store.claim(call, new TaskCommand.Claim(null, TaskCommand.DEFAULT_TTL, false)) instanceof TaskOutcome.Done);
  }
}

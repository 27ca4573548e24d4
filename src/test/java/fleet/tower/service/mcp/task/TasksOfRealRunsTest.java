package fleet.tower.service.mcp.task;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.harness.TestFiles;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;
import fleet.tower.service.mcp.tool.ToolResult;

@DisplayName("Tasks of runs with real processes")
class TasksOfRealRunsTest {
  private final Path temp;

  TasksOfRealRunsTest(@TempDir Path temp) {
    this.temp = temp;
  }

  private Path home(String name) {
    Path home = temp.resolve(name);
    TestService.makeHome(home);
    TestService.declare(home, "hold", """
        mode: mutate
        controls: { lock: hold }
        steps:
          - name: work
            script: |
              echo "$TOWER_REQUEST_ID" >>%s/begun
              until [ -e %s/go ]; do sleep 0.05; done
            rollback: [touch, %s/undone]
        """.formatted(temp, temp, temp));
    return home;
  }

  private String begun() {
    return TestFiles.textIfAny(temp.resolve("begun"));
  }

  @Test
  @DisplayName("After kill -9 of the service, the task is completed with an error, and its request runs nothing again")
  void killed() throws IOException, InterruptedException {
    Path home = home("home");
    Process service = new ProcessBuilder(JavaProcess.command(KilledService.class, home.toString(), "hold", "r1"))
        .redirectError(temp.resolve("err").toFile()).start();
    try (BufferedReader lines = service.inputReader(StandardCharsets.UTF_8)) {
      String line = String.valueOf(lines.readLine());
      assertThat(line).as(TestFiles.textIfAny(temp.resolve("err"))).contains("\"taskId\":\"r1\"",
          "\"status\":\"working\"");
      Await.until("the step runs", () -> !begun().isEmpty());
    } finally {
      service.destroyForcibly().waitFor();
    }

    try (RealRuns restarted = new RealRuns(home, "tower-01", null)) {
      JsonObject task = restarted.send("tasks/get", "r1");
      assertThat(task.text("status")).hasValue("completed");
      JsonObject result = task.object("result").orElseThrow();
      assertThat(result.raw(requireNonNull(result.get("isError")))).isEqualTo("true");
      JsonObject structured = result.object("structuredContent").orElseThrow();
      assertThat(structured.text("outcome")).hasValue("interrupted");

      ToolResult repeated = restarted.call("hold", "r1", RecordedExchange.accepting(""));
      assertThat(Follow.isError(repeated)).isTrue();
      assertThat(Follow.structured(repeated).text("outcome")).hasValue("interrupted");
      assertThat(Follow.text(repeated)).startsWith("Run r1 of hold was interrupted, because its executor died; how far "
          + "it got is unknown. It was not rolled back. It belongs to an earlier call with the same "
          + "request id; this call started nothing.");
      assertThat(begun()).isEqualTo("r1\n");
      assertThat(temp.resolve("undone")).doesNotExist();
    }
  }

  @Test
  @DisplayName("A task of one host is a task of every host of the fleet, and is cancelled on its own")
  void fleet() {
    String database = PostgresServer.newDatabase();
    try (RealRuns one = new RealRuns(home("one"), "tower-01", database);
        RealRuns two = new RealRuns(home("two"), "tower-02", database)) {
      ToolResult result = one.call("hold", "r1", RecordedExchange.accepting(""));
      assertThat(result).isInstanceOf(ToolResult.Begun.class);
      Await.until("the step runs", () -> !begun().isEmpty());

      JsonObject task = two.send("tasks/get", "r1");
      assertThat(task.text("status")).hasValue("working");
      assertThat(task.text("statusMessage")).hasValue("step 1 of 1: work");

      assertThat(two.call("hold", "r1", RecordedExchange.accepting(""))).as("the same call on the other host")
          .isInstanceOfSatisfying(ToolResult.Begun.class,
              begun -> assertThat(begun.task().end()).contains("\"taskId\":\"r1\""));
      assertThat(begun()).isEqualTo("r1\n");

      assertThat(one.send("tasks/cancel", "r1").raw()).isEqualTo("{}");
      Await.until("it is cancelled",
          () -> two.send("tasks/get", "r1").text("status").orElseThrow().equals("cancelled"));
      assertThat(Files.exists(temp.resolve("undone"))).as("it was rolled back").isTrue();
    }
  }
}

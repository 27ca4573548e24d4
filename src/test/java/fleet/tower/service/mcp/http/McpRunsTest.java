package fleet.tower.service.mcp.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.TestRunService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Runs of tools over HTTP")
class McpRunsTest {
  private static final String DECLARED = "\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}";
  @AutoClose
  private final TestRunService bench;

  private final Path home;

  McpRunsTest(@TempDir Path home) {
    this.home = home;
    TestService.declare(home, "migrate", """
        mode: mutate
        secrets: { DB_PASSWORD: { file: HOME/db-password }, PEM: { file: HOME/key.pem } }
        steps:
          - name: use
            script: |
              echo "as it is: $DB_PASSWORD"
              printf %s "$DB_PASSWORD" | base64
              sed -n 2p HOME/key.pem
          - name: fail
            script: echo "wrong password $DB_PASSWORD"; exit 1
            rollback: { script: 'echo "back $DB_PASSWORD"' }
        """.replace("HOME", home.toString()));
    bench = new TestRunService(home, "--tower.mcp.task-after=200ms", "--tower.mcp.answer-within=1s");
  }

  private Answer call(String method, String name, String params, String capabilities) {
    String body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":{" + params
        + ",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        + "\"io.modelcontextprotocol/clientCapabilities\":{" + capabilities + "}}}}";
    return bench.service.call("POST", "/mcp", body, "Content-Type", "application/json", "Accept",
        "application/json, text/event-stream", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method, "Mcp-Name",
        name);
  }

  private Answer tool(String tool, String arguments, String capabilities) {
    return call("tools/call", tool, "\"name\":\"" + tool + "\",\"arguments\":{" + arguments + "}", capabilities);
  }

  private Answer task(String method, String id) {
    return call(method, id, "\"taskId\":\"" + id + "\"", DECLARED);
  }

  @Test
  @DisplayName("A long run becomes a task, is shown as working, is cancelled and rolled back")
  void cancelled() {
    Answer begun = tool("wait", "\"lock\":\"one\",\"tower_request_id\":\"t-1\"", DECLARED);
    assertThat(begun.body()).contains("\"resultType\":\"task\"", "\"taskId\":\"t-1\"", "\"status\":\"working\"");
    Await.until("its step has begun", () -> bench.lines("begun-one").contains("t-1"));
    assertThat(task("tasks/get", "t-1").body()).contains("\"statusMessage\":\"step 1 of 1: work\"");

    assertThat(task("tasks/cancel", "t-1").body()).contains("\"resultType\":\"complete\"");

    Await.until("it is cancelled", () -> task("tasks/get", "t-1").body().contains("\"status\":\"cancelled\""));
    assertThat(bench.service.get("/runs/t-1").body()).contains("\"output_tail\":\"undone\"");
  }

  @Test
  @DisplayName("A model starts an intent with secrets of the host, and reads where they are, and never one of them")
  void secrets() {
    TestFiles.write(home.resolve("db-password"), "corr3ct-h0rse\n");
    TestFiles.write(home.resolve("key.pem"), "-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----\n");

    String plan = tool("plan_intent", "\"intent\":\"migrate\"", "").body();
    String run = tool("migrate", "\"tower_request_id\":\"s-1\"", "").body();
    String output = tool("get_run", "\"request_id\":\"s-1\"", "").body();

    assertThat(plan).contains("\"secret_sources\":{\"DB_PASSWORD\":{\"file\":\"", "/db-password\"},\"PEM\":");
    assertThat(run).contains("wrong password ***").contains("back ***");
    assertThat(output).contains("as it is: ***\\n***\\n***");
    assertThat(bench.service.get("/runs/s-1/output?step=fail").body()).contains("wrong password ***");
    assertThat(TestFiles.containing(home, "corr3ct")).containsExactly(home.resolve("db-password"));
    assertThat(TestFiles.containing(home, "MIIEvQIB")).containsExactly(home.resolve("key.pem"));
  }

  @Test
  @DisplayName("A client without tasks continues with wait_run, and gets the result")
  void awaited() {
    String arguments = "\"lock\":\"two\",\"tower_request_id\":\"t-2\"";
    assertThat(tool("wait", arguments, "").body()).contains("\"tool\":\"wait_run\"");
    Await.until("its step has begun", () -> bench.lines("begun-two").contains("t-2"));
    Answer begun = tool("wait", arguments, "");
    assertThat(begun.body()).contains("\"outcome\":\"running\"",
        "{\"tool\":\"wait_run\",\"arguments\":{\"request_id\":\"t-2\"}");
    bench.letGo("two");

    Await.until("it has ended",
        () -> tool("wait_run", "\"request_id\":\"t-2\"", "").body().contains("\"outcome\":\"succeeded\""));
    assertThat(task("tasks/get", "t-2").body()).contains("\"status\":\"completed\"", "\"isError\":false");
  }
}

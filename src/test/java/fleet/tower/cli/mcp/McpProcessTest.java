package fleet.tower.cli.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.McpClient;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.ServiceProcess;
import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.TestService;

@DisplayName("tower mcp of an installation, on files and through a service")
class McpProcessTest {
  private final Installation tower;
  private final Path directory;
  private final List<Process> started = new ArrayList<>();

  McpProcessTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    TestService.declare(tower.home(), "build-app", """
        mode: mutate
        params: { app: { type: string, default: shop } }
        controls: { lock: build }
        steps:
          - name: build
            script: |
              echo "$PARAM_APP" >>"$TOWER_HOME/built"
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
        """);
  }

  @AfterEach
  void end() {
    started.forEach(Await::kill);
  }

  private McpClient client() throws IOException {
    Process process = tower.connect(List.of(tower.launcher().toString(), "mcp"), directory.resolve("err"));
    started.add(process);
    return McpClient.of(process);
  }

  private static String build(String id) {
    return ",\"name\":\"build_app\",\"arguments\":{\"app\":\"blog\",\"tower_request_id\":\"" + id + "\"}";
  }

  private List<String> built() {
    return TestFiles.textIfAny(tower.home().resolve("built")).lines().toList();
  }

  @Test
  @DisplayName("An agent discovers, lists and calls a tool; the run and its lock name the agent and the door")
  void onFiles() throws Exception {
    Files.createFile(tower.home().resolve("go"));
    McpClient client = client();

    assertThat(client.ask(1, "server/discover", "")).contains("\"supportedVersions\"", "\"tools\"");
    assertThat(client.ask(2, "tools/list", "")).contains("\"name\":\"build_app\"", "\"name\":\"wait_run\"");
    assertThat(client.ask(3, "tools/call", build("b-1"))).contains("\"outcome\":\"succeeded\"");
    assertThat(client.ask(4, "tools/call", build("b-1"))).contains("\"outcome\":\"succeeded\"");
    client.out().close();

    assertThat(Await.exitOf(client.server())).isZero();
    assertThat(built()).containsExactly("blog");
    assertThat(tower.tower("audit", "--request-id", "b-1", "--event", "lock_actor").out())
        .contains("\"actor\":\"alice\"", "\"door\":\"mcp\"");
  }

  @Test
  @DisplayName("Through a service: a killed service is an error, and the same call at the next one runs nothing twice")
  void throughService() throws Exception {
    Path out = directory.resolve("service.out");
    Process service = tower.serve(out, directory.resolve("service.err"));
    started.add(service);
    String port = ServiceProcess.awaitReady(service, out, directory.resolve("service.err")).group(2);
    tower.with("TOWER_URL", "http://127.0.0.1:" + port)
        .with("TOWER_TOKEN", TestFiles.text(tower.home().resolve("state/token")).strip());
    McpClient client = client();
    assertThat(client.ask(1, "server/discover", "")).contains("\"supportedVersions\"");
    assertThat(client.ask(2, "tools/list", "")).contains("\"name\":\"build_app\"");
    client.send(3, "tools/call", build("b-1"));
    Await.until("the step has begun", () -> built().size() == 1);

    service.destroyForcibly();
    Await.exitOf(service);

    assertThat(client.next()).contains("\"id\":3", "with the same tower_request_id again",
        "\"tower_request_id\":\"b-1\"");
    assertThat(client.ask(4, "tools/list", "")).contains("\"id\":4", "cannot be reached", "server_unavailable");
    started.add(tower.serveAgain(port, directory));
    assertThat(client.ask(5, "tools/call", build("b-1"))).contains("\"id\":5", "\"outcome\":\"interrupted\"");
    assertThat(built()).containsExactly("blog");
    client.out().close();
    assertThat(Await.exitOf(client.server())).isZero();
  }

  @Test
  @DisplayName("Through a service: a wrong token is an error with the code of HTTP, and stdout has nothing but messages")
  @ProofsProfile
  void wrongToken() throws Exception {
    Path out = directory.resolve("service.out");
    Process service = tower.serve(out, directory.resolve("service.err"));
    started.add(service);
    tower.with("TOWER_URL", ServiceProcess.awaitReady(service, out, directory.resolve("service.err")).group(1))
        .with("TOWER_TOKEN", "tower_wrong");
    McpClient client = client();

    assertThat(client.ask(1, "server/discover", "")).contains("\"id\":1", "does not accept the token",
        "\"error\":\"unauthorized\"");
  }
}

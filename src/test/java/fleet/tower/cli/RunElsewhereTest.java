package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.cli.Installation.Result;
import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Runs between a service and other processes of its home")
class RunElsewhereTest {
  private static final int SIGTERM_EXIT = 143;
  private static final int SIGINT_EXIT = 130;

  private final Installation tower;
  private final TestService service;
  private final Path directory;

  RunElsewhereTest(@TempDir Path directory) {
    this.directory = directory;
    tower = new Installation(directory.resolve("release"));
    TestService.declare(tower.home(), "hold", """
        mode: mutate
        controls: { lock: hold }
        steps:
          - name: hold
            script: echo begun; touch "$TOWER_HOME/begun"; sleep 300
            rollback: [echo, undone]
        """);
    service = new TestService(tower.home());
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private Process begin(String... more) throws IOException {
    List<String> command = new java.util.ArrayList<>(List.of(tower.launcher().toString(), "run", "hold",
        "--request-id", "hold-1"));
    command.addAll(List.of(more));
    Process process = tower.start(command, directory.resolve("out"), directory.resolve("err"));
    Await.until("the step runs",
        () -> Files.exists(tower.home().resolve("begun")) || !process.isAlive());
    assertThat(process.isAlive()).as(TestHome.text(directory.resolve("err"))).isTrue();
    return process;
  }

  private int exit(Process process) throws InterruptedException {
    return Await.exitOf(process);
  }

  @Test
  @DisplayName("A service cannot stop a run of another process, and says where to stop it; tower cancel there does it")
  void elsewhere() throws Exception {
    Process process = begin();

    Answer refused = service.call("POST", "/runs/hold-1/cancel", "");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).isEqualTo("""
        {"type":"about:blank","title":"Conflict","status":409,\
        "detail":"run hold-1 is executed by another process of this home, %1$d","error":"run_elsewhere",\
        "request_id":"hold-1","pid":%1$d,"suggestion":"press Ctrl-C where it was started, or run `tower cancel hold-1` \
        on the service's host, without --server","next_actions":[{"method":"GET","href":"/runs/hold-1",\
        "command":"tower runs hold-1","why":"see its state"}]}""".formatted(process.pid()));
    assertThat(process.isAlive()).isTrue();
    assertThat(service.get("/runs/hold-1").body()).contains("\"status\":\"running\"");

    assertThat(tower.tower("cancel", "hold-1"))
        .isEqualTo(new Result(0, "", "run hold-1 is being cancelled; see `tower runs hold-1`\n"));
    assertThat(exit(process)).isEqualTo(SIGTERM_EXIT);
    assertThat(service.get("/runs/hold-1").body()).contains("\"status\":\"cancelled\"");
    assertThat(TestHome.text(directory.resolve("out"))).isEqualTo("begun\nundone\n");
  }

  @Test
  @DisplayName("Ctrl-C at a run through a service cancels it: rolled back, lock released; cancel on files names "
      + "the service")
  void interrupted() throws Exception {
    tower.with("TOWER_TOKEN_FILE", service.home().resolve("state/token").toString());
    Process process = begin("--server", service.url());
    Result onFiles = tower.tower("cancel", "hold-1");
    assertThat(onFiles.exit()).isEqualTo(1);
    assertThat(onFiles.err()).isEqualTo("tower: run hold-1 is executed by another process, "
        + ProcessHandle.current().pid() + ", which does other work too\n"
        + "  cancel it through the service that executes it\n");

    tower.run(List.of("bash", "-c", "kill -INT " + process.pid()));

    assertThat(exit(process)).as(TestHome.text(directory.resolve("err"))).isEqualTo(SIGINT_EXIT);
    assertThat(service.get("/runs/hold-1").body()).contains("\"status\":\"cancelled\",\"result\":\"aborted\"");
    assertThat(service.get("/locks/hold").status()).isEqualTo(404);
    assertThat(TestHome.text(directory.resolve("out"))).isEqualTo("begun\nundone\n");
    assertThat(TestHome.text(directory.resolve("err"))).contains("tower: step hold cancelled after ",
        "tower: run hold-1 cancelled at step hold after ", "tower: rolled back\n");
  }

  @Test
  @DisplayName("tower cancel through a service stops the run as Ctrl-C does")
  void cancelled() throws Exception {
    tower.with("TOWER_TOKEN_FILE", service.home().resolve("state/token").toString());
    Process process = begin("--server", service.url());

    assertThat(tower.tower("cancel", "hold-1", "--server", service.url()).exit()).isZero();

    assertThat(exit(process)).isEqualTo(1);
    assertThat(TestHome.text(directory.resolve("out"))).isEqualTo("begun\nundone\n");
  }
}

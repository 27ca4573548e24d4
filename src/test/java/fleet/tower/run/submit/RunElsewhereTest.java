package fleet.tower.run.submit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Runs between a service and other processes of its home")
class RunElsewhereTest {
  private static final int FAILED_EXIT = 1;
  private static final int SIGINT_EXIT = 130;

  private final Installation tower;
  @AutoClose
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
  @DisplayName("A service stops a run of another process, and the command ends as after any cancelled run")
  @ProofsProfile
  void elsewhere() throws Exception {
    Process process = begin();

    assertThat(service.call("POST", "/runs/hold-1/cancel", "").status()).isEqualTo(202);

    assertThat(exit(process)).isEqualTo(FAILED_EXIT);
    assertThat(service.get("/runs/hold-1").body()).contains("\"status\":\"cancelled\",\"result\":\"aborted\"");
    assertThat(service.get("/locks/hold").status()).isEqualTo(404);
    assertThat(TestHome.text(directory.resolve("out"))).isEqualTo("begun\nundone\n");
  }

  @Test
  @DisplayName("tower cancel on the files of the home reaches a run in the service, and one in another command")
  @ProofsProfile
  void onFiles() throws Exception {
    Process process = begin();
    Result asked = new Result(0, "", "run hold-1 is being cancelled; see `tower runs hold-1`\n");
    assertThat(tower.tower("cancel", "hold-1")).isEqualTo(asked);
    assertThat(exit(process)).isEqualTo(FAILED_EXIT);

    Files.delete(tower.home().resolve("begun"));
    CompletableFuture<Answer> running = service.later("/intents/hold", "{\"request_id\":\"hold-2\"}");
    Await.until("the step runs", () -> Files.exists(tower.home().resolve("begun")));
    assertThat(tower.tower("cancel", "hold-2").exit()).isZero();

    assertThat(running.get().body()).contains("\"status\":\"cancelled\"");
    Result late = tower.tower("cancel", "hold-2");
    assertThat(late.exit()).isEqualTo(1);
    assertThat(late.err()).startsWith("tower: run hold-2 has finished, so there is nothing to cancel\n");
    assertThat(tower.tower("audit", "--event", "run_cancel_requested").out().lines()).hasSize(2)
        .allSatisfy(line -> assertThat(line).contains("alice"));
  }

  @Test
  @DisplayName("Ctrl-C at a run through a service cancels it: rolled back, lock released")
  void interrupted() throws Exception {
    tower.with("TOWER_TOKEN_FILE", service.home().resolve("state/token").toString());
    Process process = begin("--server", service.url());

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
  @ProofsProfile
  void cancelled() throws Exception {
    tower.with("TOWER_TOKEN_FILE", service.home().resolve("state/token").toString());
    Process process = begin("--server", service.url());

    assertThat(tower.tower("cancel", "hold-1", "--server", service.url()).exit()).isZero();

    assertThat(exit(process)).isEqualTo(1);
    assertThat(TestHome.text(directory.resolve("out"))).isEqualTo("begun\nundone\n");
  }
}

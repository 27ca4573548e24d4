package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProcessThreads;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("Runs whose processes are killed, and followers that are interrupted")
class FollowedRunProcessTest {
  private static final int SIGINT_EXIT = 130;

  private final Installation tower;
  private final TestHome home;
  private final Path out;
  private final Path err;

  FollowedRunProcessTest(@TempDir Path directory) {
    tower = new Installation(directory.resolve("release"));
    home = new TestHome(tower.home());
    out = directory.resolve("out");
    err = directory.resolve("err");
    TestService.declare(tower.home(), "work", """
        mode: mutate
        controls: { lock: work }
        steps:
          - name: work
            script: |
              echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/begun"
              echo begun
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
        """);
  }

  private Process begin(String... line) throws IOException {
    List<String> command = new java.util.ArrayList<>(List.of(tower.launcher().toString()));
    command.addAll(List.of(line));
    return tower.start(command, out, err);
  }

  private List<String> begun() {
    return TestFiles.textIfAny(tower.home().resolve("begun")).lines().toList();
  }

  @Test
  @DisplayName("A request whose process was killed while it waited runs exactly once when repeated, even with a longer "
      + "wait")
  @ProofsProfile
  void killedWaiting() throws Exception {
    assertThat(tower.tower("lock", "work", "--request-id", "gate").exit()).isZero();
    Process first = begin("run", "work", "--wait", "10m", "--request-id", "work-1");
    Await.until("it waits", () -> home.tower("locks work --json").out().contains("\"waiters\":1"));
    first.destroyForcibly().waitFor();
    assertThat(tower.tower("wait", "work-1").exit()).as("its executor died").isEqualTo(1);
    assertThat(tower.tower("unlock", "work", "--request-id", "gate").exit()).isZero();
    Files.writeString(tower.home().resolve("go"), "");

    assertThat(tower.tower("run", "work", "--wait", "30m", "--request-id", "work-1").exit()).isZero();
    assertThat(tower.tower("run", "work", "--wait", "20m", "--request-id", "work-1").exit()).isZero();
    assertThat(begun()).containsExactly("work-1");
  }

  @Test
  @DisplayName("A request whose process was killed after its wait is never run again")
  void killedRunning() throws Exception {
    Process first = begin("run", "work", "--wait", "10m", "--request-id", "work-1");
    Await.until("its step runs", () -> !begun().isEmpty());
    first.destroyForcibly().waitFor();
    Files.writeString(tower.home().resolve("go"), "");

    assertThat(tower.tower("run", "work", "--wait", "30m", "--request-id", "work-1").exit()).isEqualTo(1);
    assertThat(begun()).containsExactly("work-1");
  }

  @Test
  @DisplayName("Ctrl-C ends only the follower or the wait; the run continues")
  @ProofsProfile
  void interrupted() throws Exception {
    Path runOut = out.resolveSibling("run-out");
    Process run = tower.start(List.of(tower.launcher().toString(), "run", "work", "--request-id", "work-1"), runOut,
        err.resolveSibling("run-err"));
    Await.until("its step runs", () -> !begun().isEmpty());
    for (String[] line : List.of(new String[]{"runs", "work-1", "--follow"}, new String[]{"wait", "work-1"})) {
      Process follower = begin(line);
      if (line.length == 3) {
        Await.until("it shows the output", () -> TestFiles.textIfAny(out).equals("begun\n"));
      } else {
        Await.until("it waits", () -> ProcessThreads.names(follower).contains("tower-timer"));
      }
      tower.run(List.of("bash", "-c", "kill -INT " + follower.pid()));
      assertThat(Await.exitOf(follower)).as(TestFiles.textIfAny(err)).isEqualTo(SIGINT_EXIT);
    }
    assertThat(run.isAlive()).isTrue();
    Files.writeString(tower.home().resolve("go"), "");
    assertThat(Await.exitOf(run)).isZero();
  }
}

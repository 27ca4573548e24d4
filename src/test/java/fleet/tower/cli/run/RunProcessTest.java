package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.RenewedLock;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("tower run as a process that receives signals")
class RunProcessTest {
  private final Installation tower;
  private final Path out;
  private final Path err;

  RunProcessTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release"));
    out = directory.resolve("out");
    err = directory.resolve("err");
    Files.writeString(Files.createDirectories(tower.home().resolve("intents")).resolve("work.yaml"), """
        apiVersion: tower-fleet/intent/v1
        kind: Intent
        metadata: { name: work, version: 1.0.0 }
        spec:
          mode: mutate
          params: { seconds: { type: string, default: "600" } }
          controls: { lock: work }
          steps:
            - name: work
              script: |
                echo $$ >"$TOWER_HOME/pid"
                echo begun
                sleep "$PARAM_SECONDS"
              rollback: [bash, -c, 'rm "$TOWER_HOME/pid"; echo undone']
        """);
    TestService.declare(tower.home(), "brief", """
        mode: mutate
        params: { key: { type: string, secret: true }, hang: { type: boolean, default: true } }
        controls: { lock: brief }
        steps:
          - name: use
            script: |
              echo $$ >"$TOWER_HOME/pid"
              printenv PARAM_KEY || true
              printenv PARAM_KEY | rev || true
              echo begun
              [ "$PARAM_HANG" = false ] || sleep 600
        """);
  }

  private Process begin() throws IOException {
    return begin(List.of(tower.launcher().toString(), "run", "work"));
  }

  private Process begin(List<String> command) throws IOException {
    Process process = tower.start(command, out, err);
    Await.until("the step has begun", () -> TestFiles.textIfAny(out).contains("begun") || !process.isAlive());
    assertThat(process.isAlive()).as(TestFiles.textIfAny(err)).isTrue();
    return process;
  }

  private long step() {
    return Long.parseLong(TestFiles.textIfAny(tower.home().resolve("pid")).strip());
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  @ParameterizedTest
  @CsvSource({"TERM, 143", "HUP, 129"})
  @DisplayName("On a termination signal it ends the step, rolls back, releases the lock, and exits with 128 + "
      + "the signal")
  void interrupted(String signal, int exit) throws Exception {
    Process process = begin();
    long step = step();

    tower.run(List.of("bash", "-c", "kill -" + signal + " " + process.pid()));

    assertThat(Await.exitOf(process)).as(TestFiles.textIfAny(err)).isEqualTo(exit);
    assertThat(isAlive(step)).isFalse();
    assertThat(TestFiles.textIfAny(out)).isEqualTo("begun\nundone\n");
    assertThat(TestFiles.textIfAny(err)).contains("tower: step work cancelled after ",
        "tower: rollback of work succeeded in ",
        " cancelled at step work after ", "tower: rolled back\n");
    assertThat(tower.tower("locks")).isEqualTo(new Result(0, "no locks\n", ""));
  }

  private void halt(String text) throws IOException {
    Files.writeString(tower.home().resolve("HALT"), text);
  }

  @Test
  @DisplayName("kill in the file HALT ends a step that ignores TERM, and rolls back; nothing begins until the file is gone")
  void haltedNow() throws Exception {
    TestService.declare(tower.home(), "stubborn", """
        mode: mutate
        controls: { lock: stubborn }
        steps:
          - name: work
            script: |
              trap '' TERM
              echo $$ >"$TOWER_HOME/pid"
              echo begun
              while :; do sleep 0.1; done
            rollback: [echo, undone]
        """);
    Process process = begin(List.of(tower.launcher().toString(), "run", "stubborn"));
    long step = step();

    halt("kill wrong release\n");

    assertThat(Await.exitOf(process)).as(TestFiles.textIfAny(err)).isEqualTo(1);
    assertThat(isAlive(step)).isFalse();
    assertThat(TestFiles.textIfAny(out)).isEqualTo("begun\nundone\n");
    assertThat(TestFiles.textIfAny(err)).contains("halt HALT of ", ": wrong release; the run is stopped",
        "tower: rolled back\n");
    assertThat(tower.tower("locks")).isEqualTo(new Result(0, "no locks\n", ""));
    Result refused = tower.tower("run", "stubborn");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.err()).contains("halted by ", "(HALT): \"wrong release\"");
    Files.delete(tower.home().resolve("HALT"));
    assertThat(tower.tower("run", "brief", "-p", "hang=false").exit()).isZero();
  }

  @Test
  @DisplayName("drain lets the step end on its own, begins no other, and rolls back")
  void haltedLater() throws Exception {
    TestService.declare(tower.home(), "stages", """
        mode: mutate
        controls: { lock: stages }
        steps:
          - name: one
            script: |
              echo begun
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
              echo one
            rollback: [echo, undone]
          - { name: two, run: [echo, two] }
        """);
    Process process = begin(List.of(tower.launcher().toString(), "run", "stages"));

    halt("drain");
    Await.until("the run knows", () -> TestFiles.textIfAny(err).contains("no further step of the run begins"));
    Files.createFile(tower.home().resolve("go"));

    assertThat(Await.exitOf(process)).as(TestFiles.textIfAny(err)).isEqualTo(1);
    assertThat(TestFiles.textIfAny(out)).isEqualTo("begun\none\nundone\n");
    assertThat(tower.tower("locks")).isEqualTo(new Result(0, "no locks\n", ""));
  }

  @Test
  @DisplayName("TF-5.6 a lock that cannot be renewed is reported on the terminal during the step, and the run "
      + "succeeds after recovery")
  @ProofsProfile
  void cannotRenew() throws Exception {
    TestService.declare(tower.home(), "patient", """
        mode: mutate
        controls: { lock: patient }
        timeouts: { lock_ttl: 300 }
        steps:
          - name: work
            script: |
              echo begun
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
        """);
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
    Process process = begin(List.of(tower.launcher().toString(), "run", "patient"));
    Path locks = tower.home().resolve("logs/locks");
    RenewedLock.block(locks, "patient");
    Await.until("the third failure", () -> TestFiles.textIfAny(err).contains("3 times in a row"));
    assertThat(TestFiles.textIfAny(err))
        .containsOnlyOnce("tower: warning: the lock was not renewed: lock patient: ENOTEMPTY");
    RenewedLock.unblock(locks, "patient");
    Await.until("a heartbeat", () -> !RenewedLock.isBlocked(locks, "patient"));
    Files.createFile(tower.home().resolve("go"));

    assertThat(Await.exitOf(process)).as(TestFiles.textIfAny(err)).isZero();
    assertThat(tower.tower("locks")).isEqualTo(new Result(0, "no locks\n", ""));
  }

  @Test
  @DisplayName("If it is killed, its step ends within seconds, its lock stays until stale, and nothing is rolled back")
  @ProofsProfile
  void killed() throws Exception {
    Process process = begin();
    long step = step();

    process.destroyForcibly();

    Await.until("the step's end", () -> !isAlive(step));
    assertThat(tower.tower("check", "work").exit()).isEqualTo(1);
    assertThat(tower.tower("run", "work").exit()).isEqualTo(2);
    assertThat(TestFiles.textIfAny(out)).isEqualTo("begun\n");
    assertThat(tower.home().resolve("pid")).exists();
  }

  @Test
  @DisplayName("If it is killed, the next process records it as interrupted; its lock goes stale and is taken by force")
  @ProofsProfile
  void killedAndFollowed() throws Exception {
    Process process = begin(List.of(tower.launcher().toString(), "run", "brief", "--request-id", "brief-1"));
    long step = step();
    process.destroyForcibly();
    Await.until("the step's end", () -> !isAlive(step));

    Result again = tower.tower("run", "brief", "--request-id", "brief-1");
    assertThat(again.exit()).isEqualTo(1);
    assertThat(again.err())
        .contains("tower: run brief-1 ran before: it was interrupted, because its executor died, at ");
    assertThat(tower.tower("audit", "--request-id", "brief-1", "--event", "run_finished").out())
        .contains("\"status\":\"interrupted\"", "\"rollback\":\"skipped: executor died\"");
    new TestHome(tower.home()).age("brief");
    assertThat(tower.tower("check", "brief").out()).isEqualTo("stale\n");
    assertThat(tower.tower("run", "brief", "-p", "hang=false").exit()).isEqualTo(5);

    Result taken = tower.tower("run", "brief", "-p", "hang=false", "--force-lock");
    assertThat(taken.exit()).as(taken.err()).isZero();
    assertThat(taken.err())
        .containsPattern("tower: warning: lock brief was taken from alice on \\S+ \\(intent brief, .*"
            + "request brief-1\\), last alive \\S+Z\n");
    assertThat(tower.tower("locks")).isEqualTo(new Result(0, "no locks\n", ""));
  }

  @Test
  @DisplayName("A secret from stdin is on no process's command line while its step runs, and is masked")
  void secretFromStdin() throws Exception {
    String secret = "hunter2-correct-horse";
    Path params = Files.writeString(out.resolveSibling("params.json"), "{\"key\":\"" + secret + "\"}");
    Process process = begin(List.of("bash", "-c", "exec \"$0\" run brief --params-file - <\"$1\"",
        tower.launcher().toString(), params.toString()));

    assertThat(commandLines()).contains("brief").doesNotContain(secret);
    assertThat(TestFiles.textIfAny(out)).contains(new StringBuilder(secret).reverse()).doesNotContain(secret);
    process.destroy();
    Await.exitOf(process);
    assertThat(TestFiles.textIfAny(err)).doesNotContain("warning: secret", secret);
  }

  /** The command lines that every user of this host can read. */
  private static String commandLines() throws IOException {
    StringBuilder all = new StringBuilder();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        try {
          all.append(Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)).append('\n');
        } catch (IOException ended) {
          // The process has ended.
        }
      }
    }
    return all.toString();
  }

  @Test
  @DisplayName("A run that waits for the same lock shows the holder's intent, and runs when its turn comes")
  @ProofsProfile
  void inOrder() throws Exception {
    Process first = begin();
    Path waitingOut = out.resolveSibling("out2");
    Path waitingErr = err.resolveSibling("err2");
    Process second = tower.start(
        List.of(tower.launcher().toString(), "run", "work", "-p", "seconds=0", "--wait"), waitingOut, waitingErr);
    Await.until("it waits",
        () -> TestFiles.textIfAny(waitingErr).matches("(?s).*tower: waiting for lock work since \\d+s: held by.*"));
    assertThat(TestFiles.textIfAny(waitingOut)).isEmpty();

    first.destroy();

    assertThat(Await.exitOf(second)).as(TestFiles.textIfAny(waitingErr)).isZero();
    assertThat(TestFiles.textIfAny(waitingOut)).isEqualTo("begun\n");
    Await.exitOf(first);
    assertThat(TestFiles.textIfAny(out)).isEqualTo("begun\nundone\n");
  }
}

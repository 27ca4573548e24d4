package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.cli.Installation.Result;

@Timeout(120)
@DisplayName("tower run as a process that signals come to")
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
  }

  private Process begin() throws IOException {
    Process process = tower.start(List.of(tower.launcher().toString(), "run", "work"), out, err);
    Installation.await("the step has begun", () -> text(out).contains("begun") || !process.isAlive());
    assertThat(process.isAlive()).as(text(err)).isTrue();
    return process;
  }

  private static String text(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long step() {
    return Long.parseLong(text(tower.home().resolve("pid")).strip());
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
  @DisplayName("Told to end, it ends the step, rolls back, gives the lock back, and ends with 128 + the signal")
  void interrupted(String signal, int exit) throws Exception {
    Process process = begin();
    long step = step();

    tower.run(List.of("bash", "-c", "kill -" + signal + " " + process.pid()));

    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(text(err)).isEqualTo(exit);
    assertThat(isAlive(step)).isFalse();
    assertThat(text(out)).isEqualTo("begun\nundone\n");
    assertThat(text(err)).contains("tower: step work cancelled after ", "tower: rollback of work succeeded in ",
        " cancelled at step work after ", "tower: rolled back\n");
    assertThat(tower.tower("locks")).isEqualTo(new Result(0, "no locks\n", ""));
  }

  @Test
  @DisplayName("Killed, its step dies within seconds, its lock stands until it is stale, and nothing is rolled back")
  void killed() throws Exception {
    Process process = begin();
    long step = step();

    process.destroyForcibly();

    Installation.await("the step's end", () -> !isAlive(step));
    assertThat(tower.tower("check", "work").exit()).isEqualTo(1);
    assertThat(tower.tower("run", "work").exit()).isEqualTo(2);
    assertThat(text(out)).isEqualTo("begun\n");
    assertThat(tower.home().resolve("pid")).exists();
  }

  @Test
  @DisplayName("Whoever waits while another runs the same is told whom for, and runs when it is its turn")
  void inOrder() throws Exception {
    Process first = begin();
    Path waitingOut = out.resolveSibling("out2");
    Path waitingErr = err.resolveSibling("err2");
    Process second = tower.start(
        List.of(tower.launcher().toString(), "run", "work", "-p", "seconds=0", "--wait"), waitingOut, waitingErr);
    Installation.await("it waits", () -> text(waitingErr).contains("tower: waiting for lock work since 0s: held by"));
    assertThat(text(waitingOut)).isEmpty();

    first.destroy();

    assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(second.exitValue()).as(text(waitingErr)).isZero();
    assertThat(text(waitingOut)).isEqualTo("begun\n");
    assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(text(out)).isEqualTo("begun\nundone\n");
  }
}

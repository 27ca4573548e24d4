package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.service.config.TestService;

@DisplayName("Processes that cannot write, or cannot open files")
@ProofsProfile
class UnwrittenAnswerTest {
  private static final String FULL = "tower: the answer could not be written to stdout: No space left on device\n";

  private final Installation tower;

  UnwrittenAnswerTest(@TempDir Path directory) {
    tower = new Installation(directory);
    TestService.declare(tower.home(), "say", "mode: observe\nsteps: [{ name: print, run: [echo, hello] }]\n");
    TestService.declare(tower.home(), "fail", "mode: observe\nsteps: [{ name: bad, run: [\"false\"] }]\n");
  }

  /** Runs a command line of a shell in which {@code tower} is the launcher. */
  private Result shell(String line) {
    return tower.run(List.of("bash", "-c", "tower() { " + tower.launcher() + " \"$@\"; }; " + line));
  }

  @Test
  @DisplayName("If stdout is full, a success exits with 74, a failure with its own code, and stderr says what was done")
  void full() {
    Result lock = shell("tower lock prod --request-id req_full >/dev/full");
    assertThat(lock.exit()).isEqualTo(74);
    assertThat(lock.err()).contains(FULL, "req_full\n");
    assertThat(shell("tower lock prod >/dev/full").exit()).as("the lock is held").isEqualTo(2);
    for (String look : List.of("tower locks --json", "tower audit")) {
      Result result = shell(look + " >/dev/full");
      assertThat(result.exit()).isEqualTo(74);
      assertThat(result.err()).startsWith(FULL);
    }

    Result run = shell("tower run say --request-id req_run >/dev/full");
    assertThat(run.exit()).isEqualTo(74);
    assertThat(run.err()).contains(FULL, "req_run");
    assertThat(shell("tower run fail >/dev/full").exit()).isEqualTo(1);
  }

  @Test
  @DisplayName("A reader that leaves, as head does, ends a command silently with 0")
  void closed() {
    shell("for i in 1 2 3; do tower freeze lock-$i --ttl 1h --reason test; done");
    Result audit = shell("set -o pipefail; tower audit | head -1");
    assertThat(audit.exit()).isZero();
    assertThat(audit.out().lines()).hasSize(1);
    assertThat(audit.err()).isEmpty();
  }

  @Test
  @DisplayName("With a limit of open files that is too low, a run and a service exit with 69 and a sentence")
  void fewFiles() {
    for (String line : List.of("ulimit -n 40; tower run say", "ulimit -n 64; tower serve --port 0")) {
      Result result = shell(line);
      assertThat(result.exit()).as(result.err()).isEqualTo(69);
      assertThat(result.err()).contains("files", "raise the limit: ulimit -n 1024").doesNotContain("\tat ");
    }
  }
}

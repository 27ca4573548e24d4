package fleet.tower.guard.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.lock.file.ChildJvm;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.SystemTime;

@DisplayName("SIGQUIT reaches a guarded command however fast or slow the guard prepares")
class QuitTest {
  private final Path output;
  private final List<Process> started = new ArrayList<>();

  QuitTest(@TempDir Path directory) {
    output = directory.resolve("output");
  }

  @BeforeEach
  void nothingYet() throws IOException {
    Files.createFile(output);
  }

  @AfterEach
  void kill() {
    for (Process process : started) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"before", "after", "never"})
  @DisplayName("LK-B22 prepared before the trap is set, after it, or not at all: the command gets QUIT, and no threads are dumped")
  void forwarded(String prepared) throws Exception {
    List<String> command = new ArrayList<>(List.of("bash", "-c", "exec \"$@\" 3</dev/null", "bash"));
    command.addAll(ChildJvm.command(QuitMain.class, List.of(prepared,
        "exec 2>/dev/null; trap 'echo quit; exit' QUIT; echo begun; i=0; while [ $i -lt 2400 ]; do sleep 0.05; i=$((i + 1)); done")));
    command.add(5, "--enable-native-access=ALL-UNNAMED");
    Process process = ChildJvm.start(command, output);
    started.add(process);
    Scheduler scheduler = SystemTime.scheduler();
    while (!Files.readString(output).contains("begun") && process.isAlive()) {
      scheduler.pause(Duration.ofMillis(10));
    }

    ChildJvm.signal(process, "QUIT");

    // The output first: a thread dump says more than an exit code.
    ChildJvm.exitCode(process);
    assertThat(output).hasContent("begun\nquit");
    assertThat(process.exitValue()).isZero();
  }
}

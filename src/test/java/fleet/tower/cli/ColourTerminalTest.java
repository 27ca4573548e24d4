package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Pty;

@DisplayName("Colours of tables")
class ColourTerminalTest {
  private final Installation tower;

  ColourTerminalTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release"));
    Path locks = Files.createDirectories(tower.home().resolve("logs/locks"));
    Files.writeString(locks.resolve("bad.lock"), "no lock");
  }

  /** The screen after a command on a terminal. */
  private String screen(String command, Map<String, String> more) throws Exception {
    Map<String, String> environment = new HashMap<>(Map.of("PATH", System.getenv("PATH"), "HOME",
        tower.root().toString(), "JAVA_HOME", System.getProperty("java.home"), "TOWER_HOME", tower.home().toString(),
        "TOWER_LOCK_INSECURE_DIRECTORY", "true", "TOWER_AOT", tower.variable("TOWER_AOT")));
    environment.putAll(more);
    try (Pty pty = new Pty(List.of("bash", "--norc", "-c", command + "; echo \"end\"; sleep 60"), environment)) {
      pty.await("end", 0);
      return pty.screen();
    }
  }

  @Test
  @DisplayName("A terminal shows states in colour; with NO_COLOR, TERM=dumb or in a pipe they are plain")
  void states() throws Exception {
    String locks = tower.launcher() + " locks";

    assertThat(screen(locks, Map.of("TERM", "xterm"))).contains("bad   \u001b[31mcorrupt\u001b[0m");
    assertThat(screen(locks, Map.of("TERM", "xterm", "NO_COLOR", "1"))).contains("bad   corrupt")
        .doesNotContain("\u001b");
    assertThat(screen(locks, Map.of("TERM", "dumb"))).contains("bad   corrupt").doesNotContain("\u001b");
    assertThat(screen(locks + " | cat", Map.of("TERM", "xterm"))).contains("bad   corrupt").doesNotContain("\u001b");
  }
}

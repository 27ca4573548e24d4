package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.Strace;
import fleet.tower.service.config.TestService;

@DisplayName("Whether a probe writes, says strace")
class ProbeTraceTest {
  private static final String CALLS = "openat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,"
      + "symlinkat,truncate,chmod,fchmodat";

  private final Installation tower;
  private final Strace strace;

  ProbeTraceTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release"));
    strace = new Strace(directory.resolve("trace"));
    Files.writeString(tower.home().resolve("state.json"), "{\"version\":1}");
  }

  /** The calls of the probe's processes, whose working directory is the home, that change a file. */
  private List<String> writes(String script) {
    TestService.declare(tower.home(), "look", """
        mode: observe
        probe: { script: "%s" }
        steps: [{ name: none, run: ["true"] }]
        """.formatted(script));
    Installation.Result result = tower.run(strace.of(CALLS, List.of(tower.launcher().toString(), "probe", "look")));
    assertThat(result.exit()).as(result.err()).isZero();
    assertThat(result.out()).contains("\"version\":1");
    return strace.calls().stream().filter(call -> call.contains("<" + tower.home() + ">") || !call.contains("openat("))
        .filter(call -> !call.contains("openat(") || call.contains("O_WRONLY") || call.contains("O_RDWR"))
        .filter(call -> call.contains("look-at-me")).toList();
  }

  @Test
  @DisplayName("One that reads makes no such call; each way to write is found")
  void writes() {
    assertThat(writes("cat state.json")).isEmpty();
    for (String bad : List.of("touch look-at-me", "echo 1 >> look-at-me", "mkdir look-at-me.d",
        "mv look-at-me look-at-me.2",
        "rm look-at-me.2")) {
      assertThat(writes(bad + "; cat state.json")).as(bad).isNotEmpty();
    }
  }
}

package fleet.tower.run.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("The output of a step is forwarded as it arrives, at any size, whatever the disk reports")
class RunOutputTest {
  private static final int LINE = 41;

  private final Installation tower;
  private final Path out;
  private final Path err;

  RunOutputTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release"));
    out = directory.resolve("out");
    err = directory.resolve("err");
    TestService.declare(tower.home(), "print", """
        mode: mutate
        params: { lines: { type: integer, required: true } }
        controls: { lock: print }
        steps:
          - name: print
            script: |
              set +o pipefail
              yes 0123456789012345678901234567890123456789 2>/dev/null | head -n "$PARAM_LINES"
        """);
  }

  private int run(String before, int lines) throws Exception {
    Process process = tower.start(List.of("bash", "-c", before + " exec \"$0\" run print -p lines=" + lines,
        tower.launcher().toString()), out, err);
    return Await.exitOf(process);
  }

  private Path log() throws IOException {
    try (Stream<Path> files = Files.walk(tower.home().resolve("logs/runs"))) {
      return files.filter(file -> file.endsWith("print.log")).findFirst().orElseThrow();
    }
  }

  @Test
  @DisplayName("200 MB pass through a heap of 24 MB, complete, to the log and to the caller")
  void more() throws Exception {
    int lines = Extent.of(500_000, 5_000_000, 5_000_000);
    tower.with("JAVA_TOOL_OPTIONS", "-Xmx24m");

    assertThat(run("", lines)).as(TestHome.text(err)).isZero();

    assertThat(Files.size(out)).isEqualTo((long) lines * LINE);
    assertThat(Files.size(log())).isEqualTo((long) lines * LINE);
  }

  @Test
  @DisplayName("If the log reaches its size limit (EFBIG), the step continues, and the missing part is reported")
  void fullLog() throws Exception {
    // bash counts in blocks of 1024 bytes; the files of lock, audit and record are much smaller.
    assertThat(run("ulimit -f 2000; exec >/dev/null;", 100_000)).as(TestHome.text(err)).isZero();

    assertThat(Files.size(log())).isEqualTo(2000 * 1024);
    assertThat(TestHome.text(err)).contains("/print.log: output cannot be kept and is dropped: file too large\n",
        "/print.log: " + (100_000 * LINE - 2000 * 1024) + " bytes of output are missing: file too large\n");
    assertThat(tower.tower("check", "print").exit()).isEqualTo(3);
  }
}

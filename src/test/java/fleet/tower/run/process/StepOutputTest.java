package fleet.tower.run.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.platform.secret.Secrets;
import fleet.tower.run.Processes;
import fleet.tower.run.Processes.Exited;

@DisplayName("The output of a step")
class StepOutputTest {
  @TempDir
  private Path home = Path.of("not-yet");

  @Test
  @DisplayName("It is one masked stream, in a file that only the owner can read")
  void isKept() throws IOException {
    try (Steps steps = new Steps(home)) {
      Steps.Running step = steps.new Running("2-print", Secrets.of(List.of("hunter22")), Map.of(),
          List.of("sh", "-c", "printf 'a hun'; sleep 0.1; printf 'ter22 b\\n'; echo err hunter22 >&2; printf hunt"));

      assertThat(step.end()).isEqualTo(new Exited(0));
      assertThat(Files.readString(steps.log("2-print"))).isEqualTo("a *** b\nerr ***\nhunt");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(steps.log("2-print"))))
          .isEqualTo("rw-------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve("logs/runs/req_1.a:b"))))
          .isEqualTo("rwx------");
      assertThat(steps.warnings).isEmpty();
    }
  }

  /** 200 MB instead of 1 GB fits on the disk of every build; neither fits into the memory of the test. */
  @Test
  @DisplayName("200 MB of binary output need a few hundred kilobytes of memory")
  void passesMuch() throws IOException {
    long size = 200L << 20;
    try (Steps steps = new Steps(home)) {
      Steps.Running step = steps.sh("head -c " + size + " /dev/zero");
      assertThat(step.end()).isEqualTo(new Exited(0));
      assertThat(Files.size(steps.log("1-step"))).isEqualTo(size);
    }
  }

  @Test
  @DisplayName("The tries of a step share one log and its limit, with a line of the executor between them")
  void isShared() throws IOException {
    try (Steps steps = new Steps(home, Duration.ofSeconds(1), 60)) {
      steps.sh("printf one").end();
      steps.processes.note(Steps.RUN, "1-step", "again");
      steps.sh("printf 'two of many words, of which the log has no more room for'").end();

      assertThat(Files.readString(steps.log("1-step"))).isEqualTo("""
          one
          [tower] again
          two of many words, of which the log has no
          [tower] the output is longer than 60 bytes; the rest is not kept
          """);
      steps.processes.note(Steps.RUN, "2-silent", "nothing was printed");
      assertThat(Files.readString(steps.log("2-silent"))).isEqualTo("[tower] nothing was printed\n");
    }
  }

  @Test
  @DisplayName("Output beyond the limit is read and dropped, and the log says so")
  void isLimited() throws IOException {
    try (Steps steps = new Steps(home, Duration.ofSeconds(1), 100_000)) {
      Steps.Running step = steps.sh("head -c 5000000 /dev/zero | tr '\\0' x; exit 6");

      assertThat(step.end()).isEqualTo(new Exited(6));
      assertThat(Files.readString(steps.log("1-step")))
          .isEqualTo("x".repeat(100_000) + "\n[tower] the output is longer than 100000 bytes; the rest is not kept\n");
      assertThat(steps.warnings).containsExactly(
          steps.log("1-step") + ": the output is longer than 100000 bytes; the rest is not kept");
    }
  }

  @Test
  @DisplayName("A log that cannot be written stops nothing; later the log says what is missing")
  void survivesTrouble() throws IOException {
    Path logs = Files.createDirectories(home.resolve("logs"));
    Files.writeString(logs.resolve("runs"), "in the way");
    try (Steps steps = new Steps(home)) {
      Steps.Running step = steps
          .sh("echo first; while [ ! -e go ]; do sleep 0.01; done; echo second; sleep 0.1; echo third");
      Steps.await(() -> !steps.warnings.isEmpty(), "a warning");
      Files.delete(logs.resolve("runs"));
      Files.createFile(home.resolve("go"));

      assertThat(step.end()).isEqualTo(new Exited(0));
      assertThat(step.output()).matches("\\[tower] 6 bytes of output are missing here: E.*\nsecond\nthird\n");
      assertThat(steps.warnings).singleElement().asString().contains("output cannot be kept and is dropped: E");
    }
  }

  @Test
  @DisplayName("Its tail is at most 20 complete lines and 4 KiB of valid text")
  void hasATail() {
    try (Steps steps = new Steps(home)) {
      assertThat(tail(steps, "many", "seq 1 1000")).startsWith("981\n").endsWith("\n1000").hasLineCount(20);
      assertThat(tail(steps, "few", "echo a; echo b")).isEqualTo("a\nb");
      assertThat(tail(steps, "binary", "printf 'x\\377y\\n'")).isEqualTo("x\ufffdy");
      assertThat(tail(steps, "long", "head -c 10000 /dev/zero | tr '\\0' z")).isEqualTo("z".repeat(4096));
      assertThat(tail(steps, "cut", "for i in 1 2 3; do head -c 3000 /dev/zero | tr '\\0' $i; echo; done"))
          .isEqualTo("3".repeat(3000));
      assertThat(tail(steps, "silent", "true")).isEmpty();
      assertThat(steps.log("silent")).doesNotExist();
    }
  }

  private static String tail(Steps steps, String name, String script) {
    assertThat(steps.named(name, "sh", "-c", script).end()).isEqualTo(new Exited(0));
    return steps.processes.tail(Steps.RUN, name);
  }

  @Test
  @DisplayName("The watcher is called whenever the log has grown")
  void tellsGrowth() {
    try (Steps steps = new Steps(home)) {
      StringBuilder seen = new StringBuilder();
      java.util.concurrent.CompletableFuture<Processes.Exit> exit = new java.util.concurrent.CompletableFuture<>();
      Processes.Started started = steps.processes.start(new Processes.Command(Steps.RUN, "told",
          List.of("sh", "-c", "echo a; sleep 0.1; echo b"), Map.of(), Secrets.NONE), new Processes.Watcher() {
            @Override
            public void logged() {
              byte[] more = steps.processes.read(Steps.RUN, "told", seen.length(), 100).bytes();
              seen.append(new String(more, StandardCharsets.UTF_8));
            }

            @Override
            public void ended(Processes.Exit how) {
              exit.complete(how);
            }
          });
      started.await();
      assertThat(exit).isDone();
      assertThat(seen.toString()).isEqualTo("a\nb\n");
    }
  }
}

package fleet.tower.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestRelease;

@DisplayName("tower demo as a process")
class DemoProcessTest {
  private static final Pattern HOME = Pattern.compile("(?m)^demo\\$ export TOWER_HOME=(\\S+)$");

  private final Installation tower;
  private final Path out;
  private final Path err;

  DemoProcessTest(@TempDir Path directory) {
    tower = new Installation(directory.resolve("a release"));
    out = directory.resolve("out");
    err = directory.resolve("err");
    // The locks of the demo live for five seconds; on a busy machine a renewal may be late by more than a third of it.
    tower.with("TOWER_HEARTBEAT_MAX_INTERVAL", "1s");
  }

  @Test
  @DisplayName("It shows a run, a refusal, a crash and a takeover, whatever the environment names, and leaves nothing")
  @ProofsProfile
  void whole() throws IOException {
    tower.with("TOWER_URL", "http://127.0.0.1:1").with("TOWER_DATABASE_URL", "jdbc:postgresql://127.0.0.1:1/none");

    Result demo = tower.tower("demo", "--json");

    assertThat(demo.exit()).as(demo.err()).isZero();
    assertThat(demo.out()).isEqualTo("{\"schema_version\":\"v1\",\"success\":true,\"data\":{}}\n");
    assertThat(demo.err()).containsSubsequence("\n# A home is", "\ndemo$ tower init", "\ndemo$ tower serve --port 0 &",
        "\ntower: ready on http://127.0.0.1:", "\ndemo$ curl ", "/intents/deploy-app ",
        "\n{\"request_id\":\"first\",\"status\":\"running\"}", "\ndemo$ curl ",
        "\n{\"status\":409,\"error\":\"lock_blocked\",\"detail\":\"lock shop-production is held by operator on ",
        "\ndemo$ kill -9 ", "\ndemo$ tower run deploy-app -p app=shop --actor bob",
        "\ntower: lock shop-production is ", "\ndemo$ sleep 6",
        "\ntower: lock shop-production is stale: ", "--force-lock", "\nshop is live; fencing token 2\n",
        "\ndemo$ tower audit --event lock_stolen", "{\"event\":\"lock_stolen\"", "\ndemo$ tower runs\n", "succeeded",
        "interrupted", "\n# The end.");
    assertThat(demo.err().lines().filter(line -> line.startsWith("# "))).hasSizeGreaterThan(8);
    assertThat(tower.home().resolve("logs")).doesNotExist();
    requireNothingLeft(demo.err());
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "KILL, 137"})
  @DisplayName("Interrupted or killed while the service runs, it leaves neither a file nor a process")
  @ProofsProfile
  void interrupted(String signal, int exit) throws IOException {
    Process demo = tower.start(List.of(tower.launcher().toString(), "demo"), out, err);
    Await.until("the service is ready", () -> TestFiles.textIfAny(out).contains("\ntower: ready on ")
        || !demo.isAlive());
    assertThat(demo.isAlive()).as(TestFiles.textIfAny(err)).isTrue();
    assertThat(demo.children().map(child -> TestFiles.textIfAny(Path.of("/proc/" + child.pid() + "/maps"))))
        .extracting(maps -> maps.contains("-serve.aot")).contains(TestRelease.isTrained());

    tower.run(List.of("bash", "-c", "kill -" + signal + " " + demo.pid()));

    assertThat(Await.exitOf(demo)).isEqualTo(exit);
    requireNothingLeft(TestFiles.text(out));
  }

  /** Waits, because a killed demo is cleaned up by another process. */
  private static void requireNothingLeft(String session) {
    Matcher home = HOME.matcher(session);
    assertThat(home.find()).as(session).isTrue();
    Await.until("the home is deleted", () -> Files.notExists(Path.of(home.group(1))));
    Await.until("its processes have ended", () -> !isInAnyEnvironment("=" + home.group(1)));
    assertThat(Path.of(home.group(1))).doesNotExist();
  }

  private static boolean isInAnyEnvironment(String text) {
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : processes) {
        if (environment(process).contains(text)) {
          return true;
        }
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String environment(Path process) {
    try {
      return Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException endedOrAnothers) {
      return "";
    }
  }
}

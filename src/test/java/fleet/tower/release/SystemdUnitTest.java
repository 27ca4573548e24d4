package fleet.tower.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.release.CommandEnvironment.Result;

@DisplayName("The systemd unit")
class SystemdUnitTest {
  private static final Path UNIT = Tarball.BASE.resolve("src/package/tower-executor.service");
  private static final String ANALYZE = "/usr/bin/systemd-analyze";

  @TempDir
  private Path directory = Path.of("");

  /** The last value of each key, as systemd reads it. */
  private static Map<String, String> settings() throws IOException {
    Map<String, String> settings = new TreeMap<>();
    Files.readAllLines(UNIT).stream().filter(line -> line.matches("[A-Za-z]+=.*"))
        .forEach(line -> settings.put(line.replaceFirst("=.*", ""), line.replaceFirst("[^=]+=", "")));
    return settings;
  }

  /** The unit with an existing program, because systemd checks that it exists. */
  private Path unit() throws IOException {
    assumeTrue(Files.isExecutable(Path.of(ANALYZE)), "there is no systemd here");
    return Files.writeString(directory.resolve("tower-executor.service"),
        Files.readString(UNIT).replaceFirst("(?m)^ExecStart=\\S+", "ExecStart=/bin/true"));
  }

  private Result run(String... command) {
    return new CommandEnvironment(directory).run(command);
  }

  @Test
  @DisplayName("systemd accepts it, and would reject an unknown key")
  void verifies() throws IOException {
    Path unit = unit();

    assertThat(run(ANALYZE, "verify", unit.toString())).isEqualTo(new Result(0, ""));

    Files.writeString(unit, Files.readString(unit).replace("KillMode=", "KilMode="));
    assertThat(run(ANALYZE, "verify", unit.toString()).output()).contains("'KilMode'");
  }

  @Test
  @DisplayName("systemd rates its exposure as at most 2.5, the lowest for a service whose steps need the host")
  void hardened() throws IOException {
    Path unit = unit();

    Result result = run(ANALYZE, "security", "--offline=true", "--threshold=25", "--no-pager", unit.toString());
    assumeTrue(!result.output().contains("unrecognized option"), "this systemd cannot judge a file");

    assertThat(result.exit()).as(result.output()).isZero();
  }

  @Test
  @DisplayName("A stop signals only the service, gives it longer than its own drain, and is not a failure")
  void drains() throws IOException {
    Map<String, String> settings = settings();

    assertThat(settings).containsEntry("KillMode", "mixed").containsEntry("KillSignal", "SIGTERM")
        .containsEntry("SuccessExitStatus", "143").containsEntry("RestartPreventExitStatus", "64 78");
    String shipped = Files.readString(Tarball.BASE.resolve("config/application.example.yaml"));
    assertThat(shipped).contains("grace: 20s");
    assertThat(Integer.parseInt(settings.getOrDefault("TimeoutStopSec", "0"))).isGreaterThanOrEqualTo(20 + 60);
  }

  @Test
  @DisplayName("It runs the tarball's program, with the home and the cache that it creates, and hides no lock of "
      + "another tool")
  void isOfTheTarball() throws IOException {
    Map<String, String> settings = settings();

    assertThat(settings).containsEntry("ExecStart", "/opt/tower-executor/bin/tower serve")
        .containsEntry("Environment", "TOWER_HOME=/var/lib/tower-executor XDG_CACHE_HOME=/var/cache")
        .containsEntry("StateDirectory", "tower-executor").containsEntry("CacheDirectory", "tower-executor")
        .containsEntry("User", "tower").containsEntry("UMask", "0077")
        .containsEntry("PrivateTmp", "no").containsEntry("ProtectHome", "read-only")
        .doesNotContainKeys("ProtectProc", "PrivatePIDs");
    assertThat(List.of("bin/tower", "docs")).allMatch(file -> Files.exists(Tarball.BASE.resolve(file)));
  }
}

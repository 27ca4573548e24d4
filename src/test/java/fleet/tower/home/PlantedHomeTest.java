package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.Installation.Result;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;

@DisplayName("Homes that somebody planted where commands look for one")
class PlantedHomeTest {
  private final Path base;
  private final Installation tower;
  private final Path planted;
  private final List<Process> started = new ArrayList<>();

  PlantedHomeTest(@TempDir Path directory) throws IOException {
    base = directory.toRealPath();
    planted = Files.createDirectory(base.resolve("shared"));
    TestService.makeHome(planted);
    Path below = Files.createDirectory(planted.resolve("below"));
    tower = new Installation(base.resolve("release")).without("TOWER_HOME").in(below);
  }

  @AfterEach
  void end() {
    started.forEach(Await::kill);
  }

  /** Puts a library where the driver would unpack it; it is the genuine one, so that it would be loaded. */
  private void plantLibrary() throws IOException {
    Path library = Files.createDirectories(planted.resolve("state/sqlite-" + SQLiteJDBCLoader.getVersion()))
        .resolve(LibraryLoaderUtil.getNativeLibName());
    try (var in = SQLiteJDBCLoader.class.getResourceAsStream(
        LibraryLoaderUtil.getNativeLibResourcePath() + "/" + LibraryLoaderUtil.getNativeLibName())) {
      Files.copy(in, library);
    }
  }

  @Test
  @DisplayName("Root below another user's home: every command is refused, no library is loaded, no link is followed")
  @ProofsProfile
  void ofAnotherUser() throws Exception {
    Path victim = Files.writeString(base.resolve("victim"), "mine\n");
    Path created = base.resolve("created");
    plantLibrary();
    Files.createSymbolicLink(Files.createDirectories(planted.resolve("logs/audit")).resolve("audit-"
        + LocalDate.ofInstant(SystemTime.source().now(), ZoneOffset.UTC) + ".jsonl"), victim);
    Files.createSymbolicLink(planted.resolve("config/.tokens.guard"), created);
    Files.writeString(planted.resolve("state/tower.db"), "");
    assumeTrue(new ProcessBuilder("chown", "-R", "-h", "65534", planted.toString()).start().waitFor() == 0,
        "only root can give files away");
    Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwxrwxrwx"));

    for (String line : new String[]{"token create x --role operator", "freeze y --ttl 1m --reason attacker",
        "task create one --id t --agent a --request-id 1", "mailbox purge m", "why a", "run hello", "serve --port 0"}) {
      Result result = tower.tower(line.split(" "));
      assertThat(result.exit()).as(line + result.err()).isEqualTo(77);
      assertThat(result.out()).isEmpty();
      assertThat(result.err()).contains(planted + " is owned by ", "\n  sudo -u ", " tower …\n");
    }
    Result doctor = tower.tower("doctor");

    assertThat(doctor.exit()).isEqualTo(1);
    assertThat(doctor.out()).contains("fail  home access", planted + " is owned by ", "→ sudo -u ");
    assertThat(victim).hasContent("mine\n");
    assertThat(created).doesNotExist();
    assertThat(planted.resolve("state/tower.db")).isEmptyFile();
    assertThat(planted.resolve("logs/locks")).doesNotExist();
  }

  @Test
  @DisplayName("A cloned repository that is a home: its library is not loaded")
  @ProofsProfile
  void cloned() throws Exception {
    plantLibrary();
    Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThat(tower.tower("mailbox", "send", "other", "one").exit()).isZero();
    Path log = base.resolve("log");
    Process command = tower.start(List.of(tower.launcher().toString(), "mailbox", "receive", "m", "--wait", "20s"), log,
        log);
    started.add(command);

    Await.until("the library of the command", () -> !command.isAlive() || !libraries(command).isEmpty());
    assertThat(command.isAlive()).as(TestHome.text(log)).isTrue();
    assertThat(libraries(command)).doesNotContain(planted.toString());
  }

  private static String libraries(Process process) {
    return TestHome.text(Path.of("/proc/" + process.pid() + "/maps")).lines()
        .filter(line -> line.contains("libsqlitejdbc")).reduce("", String::concat);
  }

  @Test
  @DisplayName("tower mcp takes no home from the working directory: it needs --home, TOWER_HOME or TOWER_URL")
  @ProofsProfile
  void mcp() throws Exception {
    Files.setPosixFilePermissions(planted, PosixFilePermissions.fromString("rwxr-xr-x"));

    Result refused = tower.tower("mcp");

    assertThat(refused.exit()).isEqualTo(64);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err()).startsWith("tower: name a home (--home DIR, or TOWER_HOME) or a service (TOWER_URL)");
    Path log = base.resolve("err");
    Process named = tower.connect(List.of(tower.launcher().toString(), "mcp", "--home", planted.toString()), log);
    started.add(named);
    named.outputWriter().append("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\"_meta\":{"
        + "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        + "\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n").flush();
    assertThat(named.inputReader().readLine()).contains("\"result\"");
  }
}

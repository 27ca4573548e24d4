package fleet.tower.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("A home that others can change is not used, because they could run commands as this user")
class ProtectionTest {
  private static final String CONSEQUENCE = "; any user who can change it can run commands as this user\n";
  private static final List<String> COMMANDS = List.of("run hello", "plan hello", "validate", "intents", "serve",
      "lock x", "check x", "locks", "guard x -- true", "why x", "freeze x --ttl 1m --reason r", "audit", "runs",
      "task list", "mailbox count", "token list", "token create t --role agent", "gc", "migrate", "prime", "home",
      "init", "mcp", "mcp install claude", "exclusive check /");
  private final TestHome tower;

  ProtectionTest(@TempDir Path directory) throws IOException {
    tower = new TestHome(directory.toRealPath().resolve("home"));
    TestService.declare(tower.root(), "hello", """
        mode: mutate
        controls: { lock: hello }
        steps: [{ name: one, run: [echo, hello] }]
        """);
    for (String part : new String[]{"logs", "state"}) {
      Files.createDirectories(tower.root().resolve(part));
    }
  }

  private Path open(String place, String mode) throws IOException {
    return Files.setPosixFilePermissions(tower.root().resolve(place), PosixFilePermissions.fromString(mode));
  }

  private void assertRefused(String words, String remedy) throws IOException {
    List<Path> before = files();
    for (String line : COMMANDS) {
      assertThat(tower.tower(line)).as(line)
          .isEqualTo(new Outcome(77, "", "tower: " + words + CONSEQUENCE + "  " + remedy + "\n"));
    }
    assertThat(tower.tower("check x --json").errorCode()).isEqualTo("home_untrusted");
    Outcome doctor = tower.tower("doctor");
    assertThat(doctor.exit()).isEqualTo(1);
    assertThat(doctor.out()).containsPattern("fail +(home|intents|config|state|logs) access +\\Q" + words)
        .contains("→ " + remedy).doesNotContain("database");
    assertThat(files()).isEqualTo(before);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(tower.root())) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @CsvSource({"intents, rwxrwxrwx, is world-writable (777), go-w", "intents, rwxrwxr-x, is group-writable (775), g-w",
      "config, rwxrwxrwx, is world-writable (777), go-w", "config, rwxrwxr-x, is group-writable (775), g-w",
      "state, rwxrwxrwx, is world-writable (777), go-w", "logs, rwx----w-, is world-writable (702), go-w",
      "., rwxrwxrwx, is world-writable (777), go-w", ".., rwxrwxrwx, is world-writable (777), go-w"})
  @DisplayName("A part of the home, or a directory above it, that others can write: every command refuses, and names "
      + "the chmod; only doctor goes on, and writes nothing")
  void directory(String place, String mode, String problem, String change) throws IOException {
    Path open = open(place, mode).normalize();
    String umask = problem.startsWith("is group") ? " (umask 002 creates every file with this mode)" : "";

    assertRefused(open + " " + problem, "chmod " + change + " " + open + umask);

    open(place, "rwx------");
    assertThat(tower.tower("run hello").exit()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "logs"})
  @DisplayName("A group that can write state and logs is a warning")
  void group(String place) throws IOException {
    Path open = open(place, "rwxrwx---");

    assertThat(tower.tower("run hello").exit()).isZero();
    assertThat(tower.tower("doctor").out()).containsPattern("warn +" + place + " access +" + open
        + " is group-writable").contains("chmod g-w " + open);
  }

  @ParameterizedTest
  @ValueSource(strings = {"intents", "config", "state", "logs"})
  @DisplayName("A part that is a link is as safe as its target")
  void link(String place) throws IOException {
    Path target = Files.move(tower.root().resolve(place), tower.root().resolveSibling("target"));
    Files.createSymbolicLink(tower.root().resolve(place), target);
    assertThat(tower.tower("run hello").exit()).isZero();

    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertRefused(target + " is world-writable (777)", "chmod go-w " + target);
  }

  @Test
  @DisplayName("A home of somebody else is used only as that user, also by root")
  void foreign() throws Exception {
    give("65534", "-R", tower.root());

    String owner = Files.getOwner(tower.root()).getName();
    String user = owner.equals("65534") ? "'#65534'" : owner;
    assertRefused(tower.root() + " is owned by " + owner + ", not by this user or root",
        "sudo -u " + user + " tower …");
  }

  @ParameterizedTest
  @ValueSource(strings = {"intents", "config", "state", "logs"})
  @DisplayName("A part, or a link in its place, that belongs to somebody else is refused")
  void foreignPart(String place) throws Exception {
    Path part = tower.root().resolve(place);
    give("65534", "-R", part);
    assertRefused(part + " is owned by user id 65534, not by this user or root", "change its owner with chown");

    give("0", "-R", part);
    Files.createSymbolicLink(part, Files.move(part, tower.root().resolveSibling("target")));
    give("65534", "-h", part);
    assertRefused(part + " is owned by user id 65534, not by this user or root", "change its owner with chown");
  }

  private static void give(String user, String option, Path path) throws Exception {
    assumeTrue(new ProcessBuilder("chown", option, user, path.toString()).start().waitFor() == 0,
        "only root can give files away");
  }

  @ParameterizedTest
  @ValueSource(strings = {"config/application.yaml", "config/policy.yaml"})
  @DisplayName("Settings or a policy that others can write: no command reads them")
  void settings(String file) throws IOException {
    Files.writeString(tower.root().resolve(file), "");
    Path open = open(file, "rw-rw-rw-");

    assertRefused(open + " is world-writable (666)", "chmod go-w " + open);
  }

  @Test
  @DisplayName("Further settings of the service that others can write: it does not start; commands do not read them")
  void settingsOfService() throws IOException {
    Files.writeString(tower.root().resolve("config/application-local.properties"), "");
    Path open = open("config/application-local.properties", "rw-rw-rw-");

    Outcome served = tower.tower("serve");
    assertThat(served.exit()).isEqualTo(77);
    assertThat(served.err()).startsWith("tower: " + open + " is world-writable").contains("chmod go-w " + open);
    assertThat(tower.tower("doctor").out()).containsPattern("fail +config access +" + open);
    assertThat(tower.tower("run hello").exit()).isZero();
  }

  @Test
  @DisplayName("An intent file that others can write is broken: it is not run, and validate reports why")
  void file() throws IOException {
    Path open = open("intents/hello.yaml", "rw-rw-rw-");

    assertThat(tower.tower("run hello").exit()).isEqualTo(3);
    Outcome validated = tower.tower("validate");
    assertThat(validated.exit()).isEqualTo(1);
    assertThat(validated.out()).isEqualTo(
        open + ":1:1: is not read: " + open + " is world-writable (666); chmod go-w " + open + "\n");
    assertThat(tower.tower("serve").exit()).isZero();
  }

  @Test
  @DisplayName("In a container without other users, the user can switch the check off")
  void allowed() throws IOException {
    open("intents", "rwxrwxrwx");
    open("config", "rwxrwxrwx");
    open("state", "rwxrwxrwx");
    tower.with("TOWER_INSECURE_FILES", "true");

    assertThat(tower.tower("run hello").exit()).isZero();
    assertThat(tower.tower("serve").exit()).isZero();
    assertThat(tower.tower("doctor").out()).containsPattern("warn +intents access")
        .containsPattern("warn +state access")
        .contains("TOWER_INSECURE_FILES");
  }

  @Test
  @DisplayName("The home's own settings cannot switch the check off")
  void notAllowedByItself() throws IOException {
    Files.writeString(tower.root().resolve("config/application.yaml"), "tower.insecure-files: true\n");
    Path open = open("intents", "rwxrwxrwx");

    assertRefused(open + " is world-writable (777)", "chmod go-w " + open);
  }

  @Test
  @DisplayName("A running service keeps its loaded intents if the directory becomes writable for others, and "
      + "reports it")
  void running() throws Exception {
    try (TestService service = new TestService(tower.root())) {
      assertThat(service.post("/intents/hello", "{}").status()).isEqualTo(200);
      Path intents = open("intents", "rwxrwxrwx");
      TestService.declare(tower.root(), "evil", "mode: observe\nsteps: [{ name: one, run: [id] }]");
      TestService.declare(tower.root(), "hello", "mode: observe\nsteps: [{ name: one, run: [id] }]");

      Await.until("the report", () -> service.get("/intents").body().contains("is not read: " + intents
          + " is world-writable (777); chmod go-w " + intents));
      assertThat(service.post("/intents/evil", "{}").status()).isEqualTo(404);
      assertThat(service.post("/intents/hello", "{}").body()).contains("\"mode\":\"mutate\"");

      open("intents", "rwx------");
      Await.until("the new version", () -> service.post("/intents/evil", "{}").status() == 200);
    }
  }
}

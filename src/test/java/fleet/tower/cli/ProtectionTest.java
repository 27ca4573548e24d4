package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.cli.TestHome.Outcome;
import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;

@DisplayName("Intents and settings that others can write are rejected, because their commands run as this user")
class ProtectionTest {
  private final TestHome tower;

  ProtectionTest(@TempDir Path directory) {
    tower = new TestHome(directory.resolve("home"));
    TestService.declare(tower.root(), "hello", """
        mode: mutate
        controls: { lock: hello }
        steps: [{ name: one, run: [echo, hello] }]
        """);
  }

  private Path open(String place, String mode) throws IOException {
    return Files.setPosixFilePermissions(tower.root().resolve(place), PosixFilePermissions.fromString(mode));
  }

  @ParameterizedTest
  @CsvSource({"intents, rwxrwxrwx, is world-writable (777)",
      "intents, rwxrwxr-x, is group-writable (775)",
      ".., rwxrwxrwx, is world-writable (777)"})
  @DisplayName("An intents directory, or a parent, that others can write: no command reads it, and no service starts")
  void directory(String place, String mode, String problem) throws IOException {
    Path open = open(place, mode).normalize();
    String refused = "tower: " + open + " " + problem
        + "; any user who can change it can run commands as this user; chmod g";

    for (String line : new String[]{"run hello", "plan hello", "validate", "intents", "serve"}) {
      Outcome outcome = tower.tower(line);
      assertThat(outcome.exit()).as(line).isEqualTo(69);
      assertThat(outcome.out()).isEmpty();
      assertThat(outcome.err()).as(line).startsWith(refused).contains("-w " + open);
    }
    Outcome doctor = tower.tower("doctor");
    assertThat(doctor.exit()).isEqualTo(1);
    assertThat(doctor.out()).containsPattern("fail +intents access +" + open).contains("-w " + open);
    assertThat(tower.tower("lock x").exit()).isZero();

    open(place, "rwx------");
    assertThat(tower.tower("run hello").exit()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"config/application.yaml", "config/application-local.properties", "config"})
  @DisplayName("Settings that others can write: the service does not start; commands, which do not read them, work")
  void settings(String place) throws IOException {
    for (String file : new String[]{"config/application.yaml", "config/application-local.properties"}) {
      Files.writeString(tower.root().resolve(file), "");
    }
    Path open = open(place, Files.isDirectory(tower.root().resolve(place)) ? "rwxrwxrwx" : "rw-rw-rw-");

    Outcome served = tower.tower("serve");
    assertThat(served.exit()).isEqualTo(69);
    assertThat(served.err()).startsWith("tower: " + open + " is world-writable")
        .contains("chmod go-w " + open);
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
    tower.with("TOWER_INSECURE_FILES", "true");

    assertThat(tower.tower("run hello").exit()).isZero();
    assertThat(tower.tower("serve").exit()).isZero();
    assertThat(tower.tower("doctor").out()).containsPattern("warn +intents access").contains("TOWER_INSECURE_FILES");
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

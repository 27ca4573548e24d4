package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.sql.PostgresServer;

@DisplayName("tower migrate creates and updates the tables")
class MigrateCommandTest {
  private static final Path INTENT = Path.of(System.getProperty("project.basedir", ""), "intents/greet.yaml");

  private final PostgresServer.TwoUsers users = PostgresServer.newDatabaseOfTwoUsers();
  private final TestHome home;

  MigrateCommandTest(@TempDir Path root) throws IOException {
    home = new TestHome(root.resolve("home")).with("TOWER_DATABASE_URL", users.app());
    Files.copy(INTENT, home.root().resolve("intents/greet.yaml"));
  }

  @Test
  @DisplayName("Commands of a user who may not create tables are refused until the owner has run it, and then work")
  void twoUsers() {
    for (List<String> refused : List.of(List.of("lock", "prod"), List.of("locks"), List.of("runs"),
        List.of("task", "list"), List.of("mailbox", "count", "box"), List.of("hosts"), List.of("migrate"))) {
      Outcome outcome = home.run(refused.toArray(String[]::new));
      assertThat(outcome.exit()).as("%s", refused).isEqualTo(69);
      assertThat(outcome.err()).as("%s", refused)
          .containsOnlyOnce("run `tower migrate` as a user who may create tables").doesNotContain("Exception");
    }
    assertThat(home.tower("lock prod --json").errorCode()).isEqualTo("storage_unavailable");

    Outcome missing = home.tower("migrate --check");
    assertThat(missing.exit()).isEqualTo(1);
    assertThat(missing.out().lines()).containsExactly("missing V1__tables.sql");

    Outcome applied = home.run("migrate", "--url", users.owner());
    assertThat(applied.exit()).isZero();
    assertThat(applied.out()).isEqualTo(missing.out().replace("missing", "applied"));
    assertThat(applied.err()).endsWith(" is up to date\n");

    for (String works : List.of("lock prod --request-id r1", "unlock prod --request-id r1", "locks", "runs",
        "run greet -p name=Ada", "task create one --agent ann --request-id r1",
        "task claim --agent ann --request-id r2", "mailbox send box hello", "mailbox receive box", "hosts",
        "freeze prod --ttl 1m --reason test", "unfreeze prod", "audit", "doctor", "gc", "migrate",
        "migrate --check")) {
      Outcome outcome = home.tower(works);
      assertThat(outcome.exit()).as("%s: %s", works, outcome.err()).isZero();
    }
    assertThat(home.tower("migrate --json").data().raw())
        .matches("\\{\"database\":\"postgresql://localhost:\\d+/tower_\\d+\",\"applied\":\\[]}");
  }

  @Test
  @DisplayName("It prints the missing statements as one transaction and changes nothing")
  void print() {
    Outcome printed = home.tower("migrate --print");
    assertThat(printed.exit()).isZero();
    assertThat(printed.out()).startsWith("BEGIN;\n").endsWith("\nCOMMIT;\n").contains("CREATE TABLE runs (\n");
    assertThat(home.tower("migrate --check").exit()).isEqualTo(1);
    assertThat(home.tower("migrate --print --json").data().raw()).contains("\"statements\":[\"BEGIN\",");
  }

  @Test
  @DisplayName("With a URL it needs no home")
  void withoutHome(@TempDir Path elsewhere) {
    home.with("TOWER_HOME", elsewhere.resolve("none").toString()).with("TOWER_DATABASE_URL", "");
    String url = "jdbc:sqlite:" + elsewhere.resolve("tower.db");

    assertThat(home.tower("migrate").exit()).isEqualTo(64);
    assertThat(home.run("migrate", "--check", "--url", url).exit()).isEqualTo(1);
    assertThat(elsewhere).isEmptyDirectory();
    assertThat(home.run("migrate", "--url", url).exit()).isZero();
    assertThat(home.run("migrate", "--check", "--url", url).exit()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"migrate --check --print", "migrate --url", "migrate now", "migrate --url= --check"})
  @DisplayName("An invalid command line changes nothing")
  void invalid(String line) {
    assertThat(home.tower(line).exit()).isEqualTo(64);
    assertThat(home.tower("migrate --check").exit()).isEqualTo(1);
  }
}

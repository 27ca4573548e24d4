package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("tower run, with secrets that steps get from the host")
class SecretRunTest {
  @TempDir
  Path directory;

  private TestHome home;

  @BeforeEach
  void create() throws IOException {
    home = new TestHome(directory.resolve("home"));
    TestService.declare(home.root(), "migrate", """
        mode: mutate
        secrets:
          DB_PASSWORD: { file: ../db-password }
          SEARCH: { env: PATH }
        controls: { lock: migrate }
        steps:
          - name: one
            script: echo "one $DB_PASSWORD"; test "$SEARCH" = "$PATH"
            rollback: { script: "echo \\"undone ${DB_PASSWORD-without}\\"" }
          - name: two
            script: printf %s "$DB_PASSWORD" | base64; rm ../db-password
            rollback: { script: "printf 'three\\\\n' >../db-password; echo undone" }
          - name: three
            run: [echo, three]
            rollback: [echo, never]
        """);
  }

  private static String stable(String words) {
    return words.replaceAll("req_[0-9a-f]{24}", "REQ").replaceAll("\\d+\\.\\d+s", "TIME");
  }

  @Test
  @DisplayName("The plan shows where they come from; a step that cannot get one fails, and the steps before it are rolled "
      + "back; no output, record or event has a value")
  void run() throws IOException {
    Files.writeString(directory.resolve("db-password"), "corr3ct-h0rse\n");

    Outcome plan = home.run("plan", "migrate");
    Outcome outcome = home.run("run", "migrate", "--request-id", "r1");

    assertThat(plan.out()).contains("secret    DB_PASSWORD file=\"../db-password\"\nsecret    SEARCH env=\"PATH\"\n");
    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(stable(outcome.err())).contains("tower: step three failed, the secret DB_PASSWORD cannot be read from "
        + home.root().resolve("../db-password") + ": ENOENT: no such file or directory; let the executor read it "
        + "there, or correct spec.secrets of the intent, after TIME");
    assertThat(outcome.out()).isEqualTo("one ***\n***\nundone\nundone ***\n");
    assertThat(home.run("runs", "r1").out()).contains("one ***\n", "undone ***\n", "cannot be read from ")
        .doesNotContain("corr3ct", "never");
    assertThat(TestFiles.containing(home.root(), "corr3ct")).isEmpty();
    assertThat(TestFiles.containing(home.root(), "undone ***")).isNotEmpty();
  }

  @Test
  @DisplayName("Without one from the start no step begins")
  void missing() {
    Outcome outcome = home.run("run", "migrate");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).contains("step one failed, the secret DB_PASSWORD cannot be read from ");
  }
}

package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.service.config.TestService;

@DisplayName("Other tools' locks when the process is stopped or killed")
class ExclusiveProcessTest {
  private final Installation tower;
  private final Path beads;
  private final Path file;
  private final Path err;

  ExclusiveProcessTest(@TempDir Path directory) throws IOException {
    tower = new Installation(directory.resolve("release"));
    beads = Files.createDirectories(directory.resolve("project/.beads"));
    file = beads.resolve(".exclusive-lock");
    err = directory.resolve("err");
    Files.createDirectories(tower.home().resolve("intents"));
    for (String name : List.of("one", "two")) {
      TestService.declare(tower.home(), name, """
          mode: mutate
          params: { seconds: { type: string, default: "0" } }
          controls: { lock: %s, exclusive: ["beads:%s", "flock:%s/flock", "pidfile:%s/pid"] }
          steps:
            - name: work
              script: |
                touch "$TOWER_HOME/begun"
                sleep "$PARAM_SECONDS"
          """.formatted(name, beads, beads.getParent(), beads.getParent()));
    }
  }

  private Process begin() throws IOException {
    Process process = tower.start(List.of(tower.launcher().toString(), "run", "one", "-p", "seconds=600"),
        err.resolveSibling("out"), err);
    Await.until("the step has begun",
        () -> Files.exists(tower.home().resolve("begun")) || !process.isAlive());
    assertThat(process.isAlive()).as(TestHome.text(err)).isTrue();
    assertThat(TestHome.json(TestHome.text(file)).integer("pid")).hasValue(process.pid());
    assertThat(beads.resolveSibling("pid")).hasContent(process.pid() + "\n");
    assertThat(tower.run(List.of("flock", "-n", beads.resolveSibling("flock").toString(), "true")).exit()).isEqualTo(1);
    return process;
  }

  @ParameterizedTest
  @DisplayName("BD-7 a run releases other tools' locks when it is stopped")
  @CsvSource({"INT, 130"})
  void interrupted(String signal, int exit) throws Exception {
    Process process = begin();

    tower.run(List.of("bash", "-c", "kill -" + signal + " " + process.pid()));

    assertThat(Await.exitOf(process)).as(TestHome.text(err)).isEqualTo(exit);
    assertThat(file).doesNotExist();
    assertThat(beads.resolveSibling("pid")).doesNotExist();
    assertThat(tower.run(List.of("flock", "-n", beads.resolveSibling("flock").toString(), "true")).exit()).isZero();
    assertThat(new TestHome(tower.home()).events()).contains("foreign_lock_released");
  }

  @Test
  @DisplayName("BD-3 BD-B1 a killed run leaves a lock that the protocol's consumer finds stale, and the next run "
      + "takes it")
  @ProofsProfile
  void killed() throws Exception {
    Process process = begin();
    assertThat(tower.tower("run", "two").exit()).isEqualTo(2);

    process.destroyForcibly();
    Await.exitOf(process);

    assertThat(TestHome.json(TestHome.text(file)).integer("pid")).hasValue(process.pid());
    assertThat(tower.run(List.of("bash", "-c", "kill -0 " + process.pid())).err()).contains("No such process");
    Installation.Result next = tower.tower("run", "two");
    assertThat(next.exit()).as(next.err()).isZero();
    assertThat(next.err()).contains("Removed stale lock (tower/one), proceeding with sync");
    assertThat(tower.tower("exclusive", "check", beads.toString()).out()).isEqualTo("proceed\n");
  }

  @Test
  @DisplayName("A lock from tower exclusive acquire belongs to the calling shell and lives exactly as long")
  void shell() {
    String exclusive = "'" + tower.launcher() + "' exclusive ";
    Installation.Result result = tower.run(List.of("bash", "-c", "cd '" + beads + "'; " + exclusive + "acquire . && "
        + "grep -q '\"pid\": '$$, .exclusive-lock && " + exclusive + "check .; " + exclusive + "release . && ls -A; "
        + exclusive + "acquire .; true"));

    assertThat(result.out()).as(result.err()).isEqualTo("acquired tower\nskip tower\nreleased tower\nacquired tower\n");
    assertThat(tower.tower("exclusive", "check", beads.toString()).out()).isEqualTo("removed-stale tower\n");
    assertThat(tower.tower("exclusive", "check", beads.toString()).out()).isEqualTo("proceed\n");
  }
}

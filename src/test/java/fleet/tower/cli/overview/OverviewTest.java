package fleet.tower.cli.overview;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("Queries of intents and runs, on files and through a service")
class OverviewTest {
  private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
  private final Path directory;
  private final TestHome home;

  OverviewTest(@TempDir Path directory) {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
  }

  private void declare() {
    TestService.declare(home.root(), "build", """
        mode: mutate
        controls: { lock: build }
        steps:
          - name: compile
            script: echo one; echo two
            rollback: [echo, undone]
          - name: test
            run: [bash, -c, 'echo oh no; exit 3']
          - name: pack
            run: [echo, packed]
        """);
    TestService.declare(home.root(), "look", """
        mode: observe
        steps:
          - name: look
            run: ["true"]
        """);
  }

  private static String stable(Outcome outcome) {
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    return outcome.out().replaceAll(TIME, "TIME").replaceAll("after \\S+s\n", "after 0s\n").replaceAll("\\d\\.\\ds",
        "0s");
  }

  @Test
  @DisplayName("A run whose lock was taken away is not reported as a plain success")
  void robbed() {
    TestService.declare(home.root(), "rob", """
        mode: mutate
        controls: { lock: rob }
        steps:
          - name: rob
            script: rm "$TOWER_HOME/logs/locks/rob.lock"
        """);

    home.run("run", "rob", "--request-id", "r1");

    assertThat(home.tower("runs").out()).contains(" succeeded, lock lost ");
    assertThat(home.tower("runs r1").out()).startsWith("r1: succeeded, lock lost\n")
        .contains("warning  the lock was removed before the run released it");
    assertThat(home.tower("runs r1 --json").data().object("lock").orElseThrow().raw()).contains("\"lost\":true");
  }

  @Test
  @DisplayName("A home without intents and runs reports that, on files and through a service")
  void nothing() {
    assertThat(home.tower("intents")).isEqualTo(new Outcome(0, "no intents\n", ""));
    assertThat(home.tower("runs")).isEqualTo(new Outcome(0, "no runs\n", ""));
    assertThat(home.tower("intents --json").data().raw()).isEqualTo("{\"intents\":[],\"complaints\":[]}");
    assertThat(home.tower("runs --json").data().raw()).isEqualTo("{\"runs\":[]}");
    assertThat(home.tower("runs nobody")).isEqualTo(
        new Outcome(3, "", "tower: there is no run nobody\n  see the newest runs: tower runs\n"));
    assertThat(home.tower("cancel nobody --json").errorCode()).isEqualTo("run_not_found");
    assertThat(home.tower("runs --status done").err())
        .startsWith("tower: --status must be awaiting_approval, waiting, running,");
    assertThat(home.tower("runs --status runing").err()).contains("; did you mean running?");
    assertThat(home.tower("task list --status pendng").err()).contains("; did you mean pending?");
    assertThat(home.tower("audit --event lock_blockd").err())
        .startsWith("tower: unknown event 'lock_blockd'; did you mean lock_blocked?");
    assertThat(home.tower("audit --event lock_blockd").exit()).isEqualTo(64);
    assertThat(home.tower("runs --intent other")).isEqualTo(
        new Outcome(0, "no runs\n", "there is no intent 'other'; see `tower intents`\n"));
    assertThat(home.tower("runs --limit 0").exit()).isEqualTo(64);
    assertThat(home.tower("runs r1 --limit 1").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("They are listed newest first, filtered, and one is shown with its steps and their last output")
  void looks() {
    declare();
    assertThat(home.tower("run build --request-id r1").exit()).isEqualTo(1);
    assertThat(home.tower("run look --request-id r2 --actor bob").exit()).isZero();
    try (TestService service = new TestService(home.root())) {
      TestHome remote = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url())
          .with("TOWER_TOKEN", service.token());
      for (TestHome asked : List.of(home, remote)) {
        assertShown(asked);
      }
      assertThat(home.tower("runs r1 --json").data().raw()).isEqualTo(remote.tower("runs r1 --json").data().raw());
      assertThat(remote.tower("runs nobody").exit()).isEqualTo(3);
      assertThat(remote.tower("cancel r1").exit()).isEqualTo(1);
      assertThat(remote.tower("cancel r1 --json").errorCode()).isEqualTo("run_finished");
    }
  }

  private static void assertShown(TestHome asked) {
    assertThat(stable(asked.tower("intents"))).isEqualTo("""
        INTENT  VERSION  MODE     LOCK   DESCRIPTION
        build   1.0.0    mutate   build  For a test
        look    1.0.0    observe  none   For a test
        """);
    assertThat(stable(asked.tower("runs"))).isEqualTo("""
        RUN  INTENT  STATUS     ACTOR  HOST      LOCK   REQUESTED AT          DURATION  FAILED AT
        r2   look    succeeded  bob    tower-01         TIME  0s
        r1   build   failed     alice  tower-01  build  TIME  0s      test
        """);
    assertThat(stable(asked.tower("runs --intent build"))).contains("r1 ").doesNotContain("r2 ");
    Outcome typo = asked.tower("runs --intent biuld");
    assertThat(typo.exit()).isEqualTo(64);
    assertThat(typo.err()).startsWith("tower: there is no intent 'biuld'; did you mean build?\n");
    assertThat(asked.tower("runs --intent build --status running")).isEqualTo(new Outcome(0, "no runs\n", ""));
    assertThat(asked.tower("runs --intent zebra")).isEqualTo(
        new Outcome(0, "no runs\n", "there is no intent 'zebra'; see `tower intents`\n"));
    assertThat(stable(asked.tower("runs --status succeeded"))).contains("r2 ").doesNotContain("r1 ");
    assertThat(stable(asked.tower("runs --limit 1"))).contains("r2 ").doesNotContain("r1 ");
    assertThat(stable(asked.tower("runs r1"))).isEqualTo("""
        r1: failed
          intent   build 1.0.0, mutate
          actor    alice
          host     tower-01
          lock     build, fencing token 1
          from     TIME to TIME
          step     compile: succeeded after 0s
            | one
            | two
          step     test: failed with exit code 3 after 0s
            | oh no
          step     pack: skipped
          rollback compile: succeeded after 0s
            | undone
        """);
  }
}

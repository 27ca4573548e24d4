package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("tower run, with a step that is tried again")
class RetriedRunTest {
  private final TestHome home;

  RetriedRunTest(@TempDir Path directory) throws Exception {
    home = new TestHome(directory.resolve("home"));
    TestService.declare(home.root(), "count", """
        mode: mutate
        controls: { lock: count }
        params: { good: { type: integer, required: true } }
        steps:
          - name: count
            script: |
              echo "token $TOWER_LOCK_TOKEN" >>tries
              number=$(wc -l <tries)
              echo "this is try $number"
              exit $((number == PARAM_GOOD ? 0 : number))
            rollback: [rm, tries]
            repeatable: true
            retry: { times: 2, delay: 0s }
        """);
  }

  private static String stable(String words) {
    return words.replaceAll("\\d+\\.\\d+s", "TIME").replaceAll("\"duration_ms\":\\d+", "\"duration_ms\":0");
  }

  @Test
  @DisplayName("The step of a process that fails twice succeeds; the output, the run and its JSON tell the tries apart")
  void mends() {
    Outcome run = home.tower("run count -p good=3 --request-id r1");

    assertThat(run.exit()).isZero();
    assertThat(run.out()).isEqualTo("""
        this is try 1
        [tower] try 1 of 3 failed with exit code 1; the next one begins in 0s
        this is try 2
        [tower] try 2 of 3 failed with exit code 2; the next one begins in 0s
        this is try 3
        """);
    assertThat(home.root().resolve("tries")).hasContent("token 1\ntoken 1\ntoken 1");
    assertThat(stable(home.tower("runs r1").out())).contains("""
          step     count: succeeded after TIME
            try 1: failed with exit code 1 after TIME
            try 2: failed with exit code 2 after TIME
            try 3: succeeded after TIME
            | this is try 1
        """);
    assertThat(stable(home.tower("runs r1 --json").out())).contains("""
        "tries":[{"status":"failed","exit_code":1,"duration_ms":0},{"status":"failed","exit_code":2,"duration_ms":0},\
        {"status":"succeeded","exit_code":0,"duration_ms":0}]""");
    assertThat(home.tower("plan count -p good=1").out()).contains("step      count, at most 600 s, repeatable\n",
        "          retry times=2 delay_seconds=0 factor=2\n");
  }

  @Test
  @DisplayName("After the last try the step has failed, and is rolled back; a step that succeeds at once shows no tries")
  void fails() {
    assertThat(stable(home.tower("run count -p good=4 --request-id r1").err())).contains("""
        tower: step count failed with exit code 3 after TIME
        tower: rollback of count started
        """);
    assertThat(home.root().resolve("tries")).doesNotExist();
    assertThat(home.tower("run count -p good=1 --request-id r2").exit()).isZero();
    assertThat(home.tower("runs r2 --json").out()).doesNotContain("tries");
  }
}

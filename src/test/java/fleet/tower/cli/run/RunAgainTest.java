package fleet.tower.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

@DisplayName("tower run --again, on the files of a home")
class RunAgainTest {
  private final TestHome home;

  RunAgainTest(@TempDir Path directory) throws Exception {
    home = new TestHome(directory.resolve("home"));
    intent("text: { type: string, required: true }, number: { type: number, default: 1.50 }, "
        + "key: { type: string, secret: true }");
  }

  private void intent(String params) throws Exception {
    TestService.declare(home.root(), "say", """
        mode: observe
        params: { %s }
        steps: [{ name: say, script: 'echo "$PARAM_TEXT $PARAM_NUMBER ${PARAM_KEY-none}"' }]
        """.formatted(params));
  }

  @Test
  @DisplayName("The recorded values apply, unless others are given; the new run names the earlier one")
  void values() {
    home.run("run", "say", "-p", "text=hello you", "--request-id", "r1");

    assertThat(home.tower("run --again r1 --request-id r2").out()).isEqualTo("hello you 1.50 none\n");
    assertThat(home.tower("run r1 --again -p number=2 --request-id r3").out()).isEqualTo("hello you 2 none\n");
    assertThat(home.tower("runs r2").out()).contains("\n  again    r1\n");
    assertThat(home.tower("runs r2 --json").out()).contains("\"again\":\"r1\"");
    assertThat(home.tower("runs r1 --json").out()).doesNotContain("again");
    assertThat(home.tower("run --again r3").out()).as("of a run that repeats one").isEqualTo("hello you 2 none\n");
  }

  @Test
  @DisplayName("The same id joins its run; another earlier run under the same id is another request")
  void joins() {
    home.tower("run say -p text=a --request-id r1");
    home.tower("run say -p text=a --request-id r2");
    home.tower("run --again r1 --request-id r3");

    assertThat(home.tower("run --again r1 --request-id r3").err()).contains("run r3 was requested before");
    assertThat(home.tower("run --again r2 --request-id r3 --json").errorCode()).isEqualTo("idempotency_mismatch");
  }

  @Test
  @DisplayName("A secret must be given again, and is named; so must what the intent requires now")
  void secrets() throws Exception {
    home.tower("run say -p text=a -p key=sesame88 --request-id r1");

    Outcome without = home.tower("run --again r1");
    assertThat(without.exit()).isEqualTo(64);
    assertThat(without.err()).contains("run r1 had secret parameters, which are not recorded; give again: key");
    assertThat(home.tower("run --again r1 -p key=sesame99").out()).isEqualTo("a 1.50 ***\n");
    intent("words: { type: string, required: true }");
    assertThat(home.tower("run --again r1 -p key=x --json").errorCode()).isEqualTo("invalid_params");
  }

  @Test
  @DisplayName("An unknown run and an intent that no longer exists are refused")
  void unknown() throws Exception {
    home.tower("run say -p text=a --request-id r1");
    Files.delete(home.root().resolve("intents/say.yaml"));

    assertThat(home.tower("run --again r1 --json").errorCode()).isEqualTo("intent_not_found");
    assertThat(home.tower("run --again r9 --json").errorCode()).isEqualTo("run_not_found");
  }
}

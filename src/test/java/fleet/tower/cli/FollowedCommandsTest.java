package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.harness.TypedLine;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.config.TestService;

@DisplayName("The first next action of a failed command can be typed exactly as printed")
class FollowedCommandsTest {
  private static final String SECRET = "hush-hush-hush";

  @TempDir
  private Path directory = Path.of("");
  private TestHome home = new TestHome(directory);

  @BeforeEach
  void declare() throws Exception {
    home = new TestHome(directory.resolve("home"));
    TestService.declare(home.root(), "say", """
        mode: mutate
        params:
          text: { type: string, default: hello }
          key: { type: string, secret: true }
        controls: { lock: say }
        steps:
          - name: print
            run: [printf, '%s', "${params.text}"]
        """);
    Files.createDirectories(home.locks());
  }

  private static List<String> commands(Outcome refused) {
    return refused.json().objects("next_actions").stream().map(action -> action.text("command").orElse("")).toList();
  }

  private Outcome follow(Outcome refused) {
    return home.run(TypedLine.words(commands(refused).getFirst()).toArray(String[]::new));
  }

  @Test
  @DisplayName("Blocked: the complete command, quoted, that waits for the lock")
  void blocked() {
    home.tower("lock say --request-id r1");
    Outcome refused = home.run("run", "say", "-p", "text=it's $HOME", "--json");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(commands(refused))
        .containsExactly("tower run say -p 'text=it'\\''s $HOME' --json --wait 10m", "tower why say");
    home.tower("unlock say --request-id r1");
    assertThat(follow(refused).data().text("status")).hasValue("succeeded");
  }

  @Test
  @DisplayName("A wait that timed out: a longer one replaces it")
  void timedOut() {
    home.tower("lock say --request-id r1");
    assertThat(commands(home.tower("lock say --wait 10ms --json"))).first()
        .isEqualTo("tower lock say --json --wait 1h");
    assertThat(commands(home.tower("guard say --wait 10ms --json -- echo -- a b"))).first()
        .isEqualTo("tower guard say --json --wait 1h -- echo -- a b");
  }

  @Test
  @DisplayName("Stale: the same with --force-lock")
  void stale() {
    home.foreignLock("say", TestHome.now().minusSeconds(100), 10);
    Outcome refused = home.tower("run say --json");
    assertThat(commands(refused)).first().isEqualTo("tower run say --json --force-lock");
    assertThat(follow(refused).data().text("status")).hasValue("succeeded");
  }

  @Test
  @DisplayName("An unknown intent: the nearest that takes the parameters; otherwise the list")
  void unknownIntent() {
    Outcome refused = home.tower("run sya -p text=x --json");
    assertThat(commands(refused)).containsExactly("tower run say -p text=x --json", "tower intents");
    assertThat(follow(refused).exit()).isZero();
    assertThat(commands(home.tower("run nothing-like-it --json"))).containsExactly("tower intents");
  }

  @Test
  @DisplayName("Another request under a used id: that run, or the request under a new id")
  void mismatch() {
    home.tower("run say --request-id r1 --json");
    Outcome refused = home.tower("run say -p text=x --request-id r1 --json");
    assertThat(commands(refused)).containsExactly("tower runs r1", "tower run say -p text=x --json --request-id NEW");
    assertThat(follow(refused).exit()).isZero();
  }

  @Test
  @DisplayName("A secret on the command line is not repeated; one in a file stays there")
  void secrets() throws Exception {
    home.tower("lock say --request-id r1");
    Outcome refused = home.tower("run say -p key=" + SECRET + " --json");
    assertThat(refused.out()).doesNotContain(SECRET).contains("it contains a secret", "with --wait 10m");
    assertThat(commands(refused)).containsExactly("tower why say", "");

    Path file = Files.writeString(directory.resolve("params.json"), "{\"key\":\"" + SECRET + "\"}");
    Outcome fromFile = home.tower("run say --params-file " + file + " --json");
    assertThat(fromFile.out()).doesNotContain(SECRET);
    assertThat(commands(fromFile)).first().isEqualTo("tower run say --params-file " + file + " --json --wait 10m");
  }

  @ParameterizedTest
  @DisplayName("Every failure has an action, whose command parses and never meets a usage error")
  @CsvSource({"usage,lock --json", "usage,lock x --tll 5 --json", "usage,lokc x --json", "usage,task claim --json",
      "usage,task clam --json", "invalid_lock_name,lock Prod --json",
      "invalid_request,heartbeat x --request-id - --json",
      "lock_not_found,heartbeat x --request-id r --json", "lock_corrupt,lock bad --json",
      "not_lock_owner,unlock held --request-id r --json", "lock_blocked,lock held --json",
      "not_frozen,unfreeze x --json",
      "intent_not_found,plan nothing --json", "run_not_found,runs r9 --json", "run_not_found,cancel r9 --json",
      "task_not_found,task get t9 --json", "task_not_found,task start t9 --agent a --request-id r --json",
      "token_not_found,token revoke nobody --json", "file_not_found,validate nowhere.yaml --json",
      "unauthorized,locks --server http://127.0.0.1:1 --json"})
  void everyFailure(String code, String line) {
    home.rawLock("bad", "garbage");
    home.tower("lock held --request-id h");
    Outcome refused = home.tower(line);
    assertThat(refused.errorCode()).isEqualTo(code);
    List<JsonObject> actions = refused.json().objects("next_actions");
    assertThat(actions).isNotEmpty();
    commands(refused).stream().filter(command -> !command.isEmpty()).forEach(command -> {
      assertThat(command).doesNotContain("…").doesNotContainPattern("[A-Z]{4,}");
      assertThat(TypedLine.mistake(command)).as(command).isEmpty();
    });
  }

  @Test
  @DisplayName("Without a token, a command says how to send one, and names no token file")
  void withoutToken() {
    Outcome refused = home.with("TOWER_URL", "http://127.0.0.1:1").tower("locks");
    assertThat(refused.exit()).isEqualTo(77);
    assertThat(refused.err()).contains("requires a token", "TOWER_TOKEN").doesNotContain("state/token", "operator");
  }
}

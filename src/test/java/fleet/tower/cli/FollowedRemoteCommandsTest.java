package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.harness.TypedLine;
import fleet.tower.service.config.TestService;
import fleet.tower.service.web.access.TestTokens;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The next actions of a command through a service are those that its token permits")
class FollowedRemoteCommandsTest {
  private static final Map<String, String> CALLERS = Map.of("viewer", "eve", "agent", "ann", "operator", "otto");
  private static final Pattern FOR_OPERATORS = Pattern.compile("--force|force-release|unfreeze|tower freeze|token ");
  private static final List<String> LINES = List.of("run say", "run stale", "run stale --wait 1s", "run cold",
      "run sya", "run free -p nope=1",
      "run free -p word=9", "plan nothing", "intents nothing", "runs r9x9x9", "wait r9x9x9", "cancel r9x9x9",
      "lock say", "lock stale", "lock stale --force-lock", "lock cold", "lock Bad", "heartbeat none --request-id r",
      "unlock say --request-id r", "force-release none --reason test", "freeze cold --ttl 1m --reason test",
      "unfreeze none", "task get t9", "task start t9 --agent a --request-id r", "mailbox ack box m1/r1",
      "mailbox dead box --revive m9");

  private final TestHome home;
  private final TestHome remote;
  @AutoClose
  private final TestService service;

  FollowedRemoteCommandsTest(@TempDir Path directory) {
    Path root = directory.resolve("home");
    TestTokens.write(root, CALLERS.entrySet().stream()
        .map(it -> TestTokens.entry(it.getValue(), it.getKey(), "")).reduce("", String::concat));
    for (String lock : List.of("say", "stale", "cold", "free")) {
      TestService.declare(root, lock, """
          mode: mutate
          params:
            word: { type: string, pattern: "[a-z]*", default: hello }
          controls: { lock: %s }
          steps: [{ name: print, run: [echo, "${params.word}"] }]
          """.formatted(lock));
    }
    service = new TestService(root);
    home = new TestHome(root);
    remote = new TestHome(directory.resolve("elsewhere")).with("TOWER_URL", service.url());
  }

  @BeforeAll
  void hold() {
    assertThat(home.tower("lock say --request-id holder --ttl 1h").exit()).isZero();
    home.foreignLock("stale", TestHome.now().minusSeconds(100), 10);
    assertThat(home.tower("freeze cold --ttl 1h --reason test").exit()).isZero();
    Await.until("the tokens are read", () -> CALLERS.values().stream()
        .allMatch(name -> service.callAs(TestTokens.tokenOf(name), "GET", "/me", "").status() == 200));
  }

  static Stream<Arguments> refusals() {
    return CALLERS.keySet().stream().sorted()
        .flatMap(role -> LINES.stream().map(line -> Arguments.of(role, line)));
  }

  private Outcome as(String role, String... words) {
    return remote.with("TOWER_TOKEN", TestTokens.tokenOf(CALLERS.getOrDefault(role, ""))).run(words);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("refusals")
  @DisplayName("Each action parses and is permitted to the role, and the first one that changes nothing can be typed")
  void permitted(String role, String line) {
    Outcome refused = as(role, (line + " --json").split(" ", -1));
    if (refused.exit() == 0) {
      assertThat(role + " " + line).isIn("operator freeze cold --ttl 1m --reason test",
          "operator lock stale --force-lock");
      return;
    }

    List<String> commands = refused.json().objects("next_actions").stream()
        .flatMap(action -> action.text("command").stream()).toList();
    assertThat(refused.json().objects("next_actions")).as(refused.out()).isNotEmpty();
    for (String command : commands) {
      assertThat(TypedLine.mistake(command)).as(command).isEmpty();
      assertThat(command).doesNotContain("…");
      if (!role.equals("operator")) {
        assertThat(command).doesNotContainPattern(FOR_OPERATORS);
      } else if (refused.errorCode().equals("lock_stale")) {
        assertThat(commands.getFirst()).endsWith(" --force-lock");
      }
      if (role.equals("viewer")) {
        assertThat(command).doesNotContainPattern("^tower (run|lock|unlock|heartbeat|cancel) (?!.*--help)");
      }
    }
    commands.stream().findFirst().filter(command -> !command.contains("--wait") && !command.contains("--force"))
        .ifPresent(command -> assertThat(as(role, TypedLine.words(command).toArray(String[]::new)).exit()).as(command)
            .isNotIn(64, 77));
  }
}

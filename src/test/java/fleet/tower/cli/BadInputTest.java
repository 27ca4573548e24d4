package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

class BadInputTest {
  private final TestHome home;

  BadInputTest(@TempDir Path directory) throws Exception {
    home = new TestHome(Files.createDirectory(directory.resolve("home")));
  }

  static Stream<Arguments> badNames() {
    List<String> names = List.of("../../x", "a/b", "a".repeat(300), "prod\n", "ｐｒｏｄ", ".guard", "..", "Prod", "a b",
        "a\u0000b", "prod.lock", "_a", "a-", "é");
    List<List<String>> commands = List.of(List.of("lock"), List.of("lock", "--force-lock"), List.of("lock", "--wait"),
        List.of("heartbeat", "--request-id", "r"), List.of("unlock", "--request-id", "r"),
        List.of("force-release", "--reason", "why"), List.of("fence", "--token", "1"), List.of("locks"),
        List.of("status"), List.of("check"), List.of("exists"), List.of("why"), List.of("audit", "--name"));
    return commands.stream().flatMap(command -> names.stream().map(name -> Arguments.of(command, name)));
  }

  @ParameterizedTest
  @MethodSource("badNames")
  @DisplayName("T14 TF-2.2 TF-2.4 an invalid name: exit 64 before any file is touched, shown on one line")
  void badName(List<String> command, String name) {
    String[] line = Stream.concat(command.stream(), Stream.of(name)).toArray(String[]::new);

    Outcome outcome = home.run(line);

    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.out()).isEmpty();
    assertThat(outcome.err()).startsWith("tower: lock name '").hasLineCount(1);
    assertThat(Files.exists(home.root().resolve("logs"))).isFalse();
    assertThat(home.root().getParent()).isDirectoryNotContaining(path -> !path.equals(home.root()));
  }

  @Test
  @DisplayName("The error for an invalid name states the broken rule and suggests a valid name")
  void badNameExplained() {
    assertThat(home.tower("lock Prod").err())
        .isEqualTo("tower: lock name 'Prod' has an upper-case letter; did you mean 'prod'?\n");
    assertThat(home.tower("lock a/b --json").errorCode()).isEqualTo("invalid_lock_name");
    assertThat(home.run("lock", "a".repeat(129)).err()).contains("is 129 characters long; at most 128 are allowed");
    assertThat(home.run("lock", "").exit()).isEqualTo(64);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "900.5", "500ms", "100000000000000000000", "8d", "", "abc", "1e3", "0x10", "５"})
  @DisplayName("TF-A15 an invalid ttl: exit 64 before any file is touched")
  void badTtl(String ttl) {
    assertThat(home.run("lock", "prod", "--ttl", ttl).exit()).isEqualTo(64);
    assertThat(home.run("lock", "prod", "--ttl=" + ttl, "--json").exit()).isEqualTo(64);
    assertThat(home.isUntouched()).isTrue();
  }

  static Stream<String> badIds() {
    return Stream.of("../x", "a\nb", "x".repeat(10_000), "-x", "a b", "é", "x".repeat(129), "a\u0000");
  }

  @ParameterizedTest
  @MethodSource("badIds")
  @DisplayName("TF-A16 an invalid request id: exit 64 before any file is touched, shown short and on one line")
  void badRequestId(String id) {
    for (String command : List.of("lock", "heartbeat", "unlock", "force-release")) {
      Outcome outcome = command.equals("force-release")
          ? home.run(command, "prod", "--reason", "why", "--request-id=" + id)
          : home.run(command, "prod", "--request-id=" + id);
      assertThat(outcome.exit()).isEqualTo(64);
      assertThat(outcome.err()).startsWith("tower: request id '").hasLineCount(1).hasSizeLessThan(200);
    }
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("An actor with a line break and a forged event is one escaped audit line and no terminal control")
  void hostileActor() {
    String actor = "mallory\n{\"event\":\"lock_stolen\"}\t";
    home.foreignLock("foreign", Instant.parse("2026-01-01T10:00:00Z"), 900);
    home.rawLock("foreign", TestHome.text(home.lockFile("foreign")).replace("claude-code",
        "mallory\\u001b[2J\\u009b2J\\u007f\\u2028"));
    home.run("lock", "prod", "--actor", actor, "--request-id", "r");

    Outcome table = home.tower("locks");
    Outcome json = home.tower("locks prod --json");
    Outcome audit = home.run("lock", "prod", "--actor", actor);

    assertThat(home.audit()).hasSize(3);
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "lock_blocked");
    assertThat(Stream.of(table, json, audit, home.tower("audit"), home.tower("audit --json"), home.tower("why prod"),
        home.tower("why foreign")))
        .allSatisfy(outcome -> assertThat((outcome.out() + outcome.err()).replace("\n", ""))
            .doesNotContainPattern("[\\p{Cntrl}\u0080-\u009f]"));
    assertThat(table.out()).hasLineCount(3).contains("mallory\\n{\"event\"");
    assertThat(json.data().text("actor")).hasValue(actor);
    assertThat(TestHome.json(home.tower("audit").out().lines().toList().get(2)).object("held_by").orElseThrow()
        .text("actor")).hasValue(actor);
    assertThat(TestHome.texts(home.tower("audit --json").json(), "data", "event")).containsExactly("lock_acquired",
        "lock_actor",
        "lock_blocked");
  }

  @Test
  @DisplayName("An actor with control or invisible characters is refused, and nothing is written")
  void hiddenInActor() {
    for (String hidden : List.of("\u001b[2J", "\u009b2J", "\u007f", "\u2028", "\u202e", "\udb40\udc41")) {
      Outcome refused = home.run("lock", "prod", "--actor", "mallory" + hidden);

      assertThat(refused.exit()).isEqualTo(64);
      assertThat(refused.err()).contains("actor ", "has control or invisible characters; leave them out")
          .doesNotContain(hidden);
    }
    assertThat(home.lockFile("prod")).doesNotExist();
    assertThat(home.events()).isEmpty();
  }

  @Test
  @DisplayName("An overlong actor name is rejected")
  void longActor() {
    assertThat(home.run("lock", "prod", "--actor", "x".repeat(513)).err())
        .isEqualTo("tower: actor must have 1 to 512 characters, not 513\n");
    assertThat(home.isUntouched()).isTrue();
  }
}

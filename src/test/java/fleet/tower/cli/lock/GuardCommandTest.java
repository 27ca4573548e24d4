package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.harness.Extent;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

/**
 * Tests {@code tower guard} with real commands, run in this process; the commands print nothing, because stdout is the
 * test's.
 */
class GuardCommandTest {
  private static final int GUARDS = Extent.of(100, 1000);
  private static final Instant LONG_AGO = Instant.parse("2026-01-01T10:00:00Z");
  private final TestHome home;
  private final Path directory;

  GuardCommandTest(@TempDir Path directory) {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
  }

  private Outcome guard(String name, String script) {
    return home.run("guard", name, "--", "sh", "-c", script);
  }

  @ParameterizedTest
  @CsvSource({"0, exit 0", "1, exit 1", "2, exit 2", "3, exit 3", "64, exit 64", "75, exit 75", "255, exit 255",
      "137, kill -KILL $$", "143, kill -TERM $$", "130, trap - INT; kill -INT $$"})
  @DisplayName("LK-29 LK-B17 T16 the exit code is the command's own, or 128 + n after signal n; the guard prints "
      + "nothing")
  void passesTheCodeOn(int exit, String script) {
    assertThat(guard("prod", script)).isEqualTo(new Outcome(exit, "", ""));
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "lock_released", "lock_actor");
    assertThat(home.audit().getLast())
        .contains("\"of\":\"lock_released\",\"actor\":\"alice\",\"door\":\"guard\",\"intent\":\"guard\"");
    assertThat(home.audit().get(2)).contains("\"result\":\"" + (exit == 0 ? "success" : "failure") + "\"");
    assertThat(home.lockFile("prod")).doesNotExist();
  }

  @Test
  @DisplayName("A missing command is 127, a command without execute permission 126; the lock is released")
  void cannotBeRun() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");

    assertThat(home.tower("guard prod -- no-such-program"))
        .isEqualTo(new Outcome(127, "", "tower: cannot run no-such-program: no such program\n"));
    assertThat(home.tower("guard prod -- " + file))
        .isEqualTo(new Outcome(126, "", "tower: cannot run " + file + ": permission denied\n"));
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "lock_released", "lock_actor",
        "lock_acquired", "lock_actor", "lock_released", "lock_actor");
  }

  @Test
  @DisplayName("A script without an interpreter line runs with sh")
  void withoutInterpreter() throws IOException {
    Path script = directory.resolve("script");
    Installation.script(script, "");
    Files.writeString(script, "[ \"$1\" = 'a  b' ] && exit 9");

    assertThat(home.run("guard", "prod", "--", script.toString(), "a  b").exit()).isEqualTo(9);
  }

  @Test
  @DisplayName("LK-29 a command that is not started is 75, or the value of -E: held, stale, corrupt, frozen, timed out")
  void neverStarted() {
    Path touched = directory.resolve("touched");
    home.tower("lock held --request-id other");
    home.foreignLock("stale", LONG_AGO, 900);
    home.rawLock("corrupt", "{");

    assertThat(home.run("guard", "held", "--", "touch", touched.toString())).satisfies(outcome -> {
      assertThat(outcome.exit()).isEqualTo(75);
      assertThat(outcome.err())
          .startsWith("tower: lock held is held by alice on tower-01 (intent manual, request other)")
          .endsWith("\n  wait for it: tower guard held --wait 10m -- touch " + touched + "\n");
    });
    assertThat(home.run("guard", "stale", "-E", "9", "--wait", "1h", "--", "touch", touched.toString())).satisfies(
        outcome -> {
          assertThat(outcome.exit()).isEqualTo(9);
          assertThat(outcome.err()).contains("is stale", "--force-lock");
        });
    assertThat(home.run("guard", "corrupt", "-E", "0", "--", "touch", touched.toString()).exit()).isZero();
    assertThat(home.run("guard", "held", "--wait", "60ms", "-E=255", "--", "touch", touched.toString()).exit())
        .isEqualTo(255);
    home.tower("freeze cold --ttl 1h --reason release");
    assertThat(home.run("guard", "cold", "--force-lock", "--", "touch", touched.toString())).satisfies(outcome -> {
      assertThat(outcome.exit()).isEqualTo(75);
      assertThat(outcome.err()).contains("frozen", "release");
    });
    assertThat(touched).doesNotExist();
  }

  @Test
  @DisplayName("Force takes a dead holder's lock and names the holder")
  void force() {
    home.foreignLock("prod", LONG_AGO, 900);

    assertThat(home.tower("guard prod --force-lock -- true")).satisfies(outcome -> {
      assertThat(outcome.exit()).isZero();
      assertThat(outcome.err()).startsWith("tower: lock prod was taken from claude-code on tower-02");
    });
    assertThat(home.events()).containsExactly("lock_stolen", "lock_actor", "lock_acquired", "lock_actor",
        "lock_released", "lock_actor");
  }

  @Test
  @DisplayName("LK-B12 T15 flags go before or after the name, and everything after -- belongs to the command")
  void flags() {
    Path out = directory.resolve("out");
    String print = "printf '%s,' \"$@\" >" + out;

    assertThat(
        home.run("guard", "--ttl", "5m", "prod", "--actor", "bob", "--", "sh", "-c", print, "sh", "--ttl", "--json",
            "--", "-E", "--help").exit())
        .isZero();
    assertThat(TestHome.text(out)).isEqualTo("--ttl,--json,--,-E,--help,");
    assertThat(home.run("guard", "prod", "--ttl", "5m", "--", "true").exit()).isZero();
    assertThat(home.audit().getFirst()).contains("\"ttl_seconds\":300");
  }

  @ParameterizedTest
  @ValueSource(strings = {"guard prod", "guard prod --", "guard -- true", "guard prod extra -- true",
      "guard prod true", "guard prod --ttl 500ms -- true", "guard prod --ttl 0 -- true",
      "guard prod --nonsense -- true",
      "guard prod -E 256 -- true", "guard prod -E x -- true", "guard prod --on-lost explode -- true",
      "guard prod --wait 61m -- true", "guard Prod -- true", "guard ../../x -- true", "guard a/b -- true"})
  @DisplayName("LK-29 LK-B13 LK-B16 an invalid command line is 64, and nothing is touched")
  void usage(String line) {
    Outcome outcome = home.tower(line);

    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.err()).startsWith("tower: ");
    assertThat(home.isUntouched()).isTrue();
  }

  @Test
  @DisplayName("LK-B16 a ttl below a second is rejected with the reason; without -- the usage is printed")
  void usageWords() {
    assertThat(home.tower("guard prod --ttl 500ms -- true").err())
        .startsWith(
            "tower: --ttl must be a time span of whole seconds from 1s to 7d, such as 90s, 15m or 8h, not '500ms'\n");
    assertThat(home.tower("guard prod true").err()).contains("\n  usage: tower guard NAME ", " -- CMD...\n");
  }

  @Test
  @DisplayName("With --json stdout has an answer only if the command was not started")
  void json() {
    home.tower("lock held --request-id other");

    assertThat(home.tower("guard prod --json -- true")).isEqualTo(new Outcome(0, "", ""));
    Outcome refused = home.tower("guard held --json -- true");
    assertThat(refused.exit()).isEqualTo(75);
    assertThat(refused.errorCode()).isEqualTo("lock_blocked");
  }

  @Test
  @DisplayName("The command gets the lock, token and request id; the rest of its environment is the caller's")
  void environment() {
    Path out = directory.resolve("environment");

    guard("prod", "env >" + out);

    List<String> inherited = System.getenv().entrySet().stream().map(Object::toString).toList();
    List<String> told = TestHome.text(out).lines()
        .filter(line -> line.startsWith("TOWER_") && !inherited.contains(line)).sorted().toList();
    assertThat(told).hasSize(4).satisfiesExactly(name -> assertThat(name).isEqualTo("TOWER_LOCK_NAME=prod"),
        token -> assertThat(token).isEqualTo("TOWER_LOCK_TOKEN=1"),
        request -> assertThat(request).matches("TOWER_REQUEST_ID=req_[0-9a-f]{24}"),
        mark -> assertThat(mark).matches("TOWER_STEP_ID=[0-9a-f]{16}\\.1\\."));
    assertThat(TestHome.text(out).lines()).contains("PATH=" + System.getenv("PATH"));
  }

  @Test
  @DisplayName("LK-B10 a nested guard of the same name uses the outer lock and does not release it")
  void nested() {
    home.tower("lock prod --request-id outer --ttl 1h");
    String before = home.lockText("prod");
    home.with("TOWER_LOCK_NAME", "prod").with("TOWER_LOCK_TOKEN", "1").with("TOWER_REQUEST_ID", "outer");

    assertThat(guard("prod", "exit 5").exit()).isEqualTo(5);
    assertThat(home.lockText("prod")).isEqualTo(before);
    assertThat(guard("other", "exit 6").exit()).isEqualTo(6);

    home.with("TOWER_LOCK_TOKEN", "2");
    assertThat(guard("prod", "exit 5").exit()).isEqualTo(75);
    assertThat(home.events()).containsExactly("lock_acquired", "lock_actor", "lock_acquired", "lock_actor",
        "lock_released", "lock_actor", "lock_blocked");
  }

  @Test
  @DisplayName("TF-A15 a ttl below 5 s prints a warning and is accepted")
  void shortTtl() {
    assertThat(home.run("guard", "prod", "--ttl", "4s", "--", "true")).isEqualTo(new Outcome(0, "",
        "tower: warning: a lock with a ttl of 4 s is lost whenever the host pauses; use 30s or more\n"));
    assertThat(home.run("lock", "prod", "--ttl", "1s").err())
        .startsWith("tower: warning: a lock with a ttl of 1 s is lost whenever the host pauses; use 30s or more\n");
    assertThat(home.run("lock", "dev", "--ttl", "5s").err()).startsWith("lock dev acquired");
  }

  @Test
  @DisplayName("LK-B4 hundreds of guards in sequence leave no file, and as many releases as acquisitions")
  @ProofsProfile
  void manyInARow() throws IOException {
    for (int i = 0; i < GUARDS; i++) {
      assertThat(home.run("guard", "prod", "--", "true")).isEqualTo(new Outcome(0, "", ""));
    }

    try (Stream<Path> left = Files.walk(home.root().resolve("logs/locks"))) {
      assertThat(left.filter(Files::isRegularFile).map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(".guard", ".journal", ".prod.fence", ".prod.beat");
    }
    assertThat(home.events().stream().filter("lock_acquired"::equals)).hasSize(GUARDS);
    assertThat(home.events().stream().filter("lock_released"::equals)).hasSize(GUARDS);
    assertThat(home.events().stream().filter("lock_actor"::equals)).hasSize(2 * GUARDS);
    assertThat(home.events()).hasSize(4 * GUARDS);
  }
}

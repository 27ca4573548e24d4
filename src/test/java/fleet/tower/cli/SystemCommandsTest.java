package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.text.Console;

class SystemCommandsTest {
  private static final String LATE = "{\"event\":\"lock_blocked\",\"request_id\":\"r0\",\"timestamp\":"
      + "\"2026-01-02T00:00:00Z\",\"lock_name\":\"old\"}";
  private final TestHome home;

  SystemCommandsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  private void history() throws IOException {
    Path audit = Files.createDirectories(home.root().resolve("logs/audit"));
    Files.writeString(audit.resolve("audit-2026-01-02.jsonl"), LATE + "\ntorn\n");
    home.tower("lock prod --request-id r1");
    home.tower("lock prod --request-id r2");
    home.tower("unlock prod --request-id r1");
  }

  @Test
  @DisplayName("audit rejects an unknown event name, and suggests the nearest one")
  void unknownEvent() {
    assertThat(home.tower("audit --event lock_stollen")).isEqualTo(
        new Outcome(64, "", "tower: unknown event 'lock_stollen'; did you mean lock_stolen?\n"));
    assertThat(home.tower("audit --event nope --json").exit()).isEqualTo(64);
    assertThat(home.tower("audit --event nope --follow").err())
        .contains("unknown event 'nope'; the events are lock_acquired, ");
  }

  @Test
  @DisplayName("audit prints the events oldest first, all or the requested ones")
  void audit() throws Exception {
    history();

    assertThat(home.tower("audit").out().lines()).hasSize(6).containsExactlyElementsOf(
        home.audit().stream().filter(line -> !line.equals("torn")).toList());
    assertThat(home.tower("audit --since 8h").out()).hasLineCount(5).doesNotContain(LATE);
    assertThat(home.tower("audit --since 2026-01-02T00:00:00Z").out()).hasLineCount(6);
    assertThat(home.tower("audit --since 2026-01-02T00:00:01Z").out()).hasLineCount(5);
    assertThat(home.tower("audit --name old").out()).isEqualTo(LATE + "\n");
    assertThat(home.tower("audit --request-id r2 --event lock_blocked").out()).hasLineCount(1);
    assertThat(home.tower("audit --event lock_stolen")).isEqualTo(new Outcome(0, "", "tower: warning: "
        + home.root().resolve("logs/audit/audit-2026-01-02.jsonl")
        + " has a line that is not an event; it is skipped: torn\n"));
    assertThat(home.tower("audit --name old --json").out())
        .isEqualTo("{\"schema_version\":\"v1\",\"success\":true,\"data\":[" + LATE + "]}\n");
  }

  @Test
  @DisplayName("audit --follow prints new events until its reader closes the pipe")
  void follow() throws Exception {
    history();
    LinkedBlockingQueue<String> printed = new LinkedBlockingQueue<>();
    AtomicBoolean gone = new AtomicBoolean();
    Console console = new Console(new PrintStream(new Lines(printed, gone), true, StandardCharsets.UTF_8),
        new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8));

    CompletableFuture<Integer> follower = CompletableFuture
        .supplyAsync(() -> Tower.run(new String[]{"audit", "--follow", "--since", "1h", "--event", "lock_released"},
            Map.of("TOWER_HOME", home.root().toString()), console, TestHome.PROGRAMS));

    assertThat(printed.take()).contains("\"request_id\":\"r1\"");
    home.tower("lock prod --request-id r3");
    home.tower("unlock prod --request-id r3");
    assertThat(printed.take()).contains("\"request_id\":\"r3\"");
    gone.set(true);
    home.tower("lock prod --request-id r4");
    home.tower("unlock prod --request-id r4");
    assertThat(follower.get()).isZero();
  }

  @Test
  @DisplayName("LK-33 doctor: exit 0 if all is well, each check on a line")
  void doctorFindsNoError() {
    home.tower("lock prod");

    Outcome outcome = home.tower("doctor");

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out()).containsPattern("ok +home ").contains("lock directory mode").contains("wall clock")
        .doesNotContain("fail");
    assertThat(TestHome.texts(home.tower("doctor --json").data(), "checks", "check")).containsExactly("java",
        "start-up cache", "home", "store", "intents access", "config access", "state access", "logs access",
        "free space", "free inodes",
        "lock directory owner", "lock directory mode",
        "lock directory file system", "lock files", "locks", "waiters", "inotify", "runs", "audit log mode",
        "audit log", "state mode",
        "operator token", "tokens", "policy", "database", "task claims", "mailboxes", "intents", "foreign locks", "sh",
        "setsid",
        "bash",
        "wall clock",
        "boot clock");
  }

  @Test
  @DisplayName("LK-33 doctor: exit 1 for an error, each with a remedy")
  void doctorFindsErrors() {
    home.foreignLock("old", java.time.Instant.parse("2026-01-01T10:00:00Z"), 900);
    home.rawLock("garbage", "{");

    Outcome outcome = home.tower("doctor");
    Outcome json = home.tower("doctor --json");

    assertThat(outcome.exit()).isEqualTo(1);
    assertThat(outcome.out()).contains("fail  corrupt lock", "warn  stale lock", "→ ask `tower why garbage`",
        "→ ask `tower why old`, or free it with `tower force-release old --reason TEXT`");
    assertThat(json.exit()).isEqualTo(1);
    assertThat(json.data().text("overall")).hasValue("fail");
    assertThat(json.data().text("home")).hasValue(home.root().toString());
  }

  /** Stdout with a reader that closes it. */
  private static final class Lines extends OutputStream {
    private final StringBuilder line = new StringBuilder();
    private final LinkedBlockingQueue<String> printed;
    private final AtomicBoolean gone;

    Lines(LinkedBlockingQueue<String> printed, AtomicBoolean gone) {
      this.printed = printed;
      this.gone = gone;
    }

    @Override
    public void write(int b) throws IOException {
      if (gone.get()) {
        throw new IOException("Broken pipe");
      }
      if (b == '\n') {
        printed.add(line.toString());
        line.setLength(0);
      } else {
        line.append((char) b);
      }
    }
  }
}

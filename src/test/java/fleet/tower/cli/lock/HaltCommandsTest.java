package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;

@DisplayName("tower halt, unhalt and halts")
class HaltCommandsTest {
  private final TestHome home;

  HaltCommandsTest(@TempDir Path directory) {
    home = new TestHome(directory.resolve("home"));
  }

  @Test
  @DisplayName("A halt refuses what matches all of its lists with 409 halted, exit 2, until it is lifted; both are audited")
  void halts() {
    Outcome placed = home.run("halt", "night", "--lock", "db-*", "--lock", "app", "--actor", "alice", "--actor",
        "claude-*", "--reason", "incident 7");
    assertThat(placed.exit()).as(placed.err()).isZero();
    assertThat(placed.err()).isEqualTo("halt night is in force (admit) until it is lifted\n");

    Outcome refused = home.tower("lock db-1 --json");
    assertThat(refused.exit()).isEqualTo(2);
    assertThat(refused.errorCode()).isEqualTo("halted");
    assertThat(refused.context().text("halt")).hasValue("night");
    assertThat(refused.context().text("reason")).hasValue("incident 7");
    assertThat(refused.context().text("halted_by")).hasValue("alice");
    assertThat(home.tower("lock db-1 --force-lock").exit()).isEqualTo(2);
    assertThat(home.tower("lock db-1 --actor bob").exit()).isZero();
    assertThat(home.tower("lock web").exit()).isZero();
    assertThat(home.tower("halts").out()).contains("night").contains("actors alice claude-*, locks db-* app")
        .contains("incident 7");

    assertThat(home.tower("unhalt night").err()).isEqualTo("halt night is lifted\n");
    assertThat(home.tower("lock app").exit()).isZero();
    assertThat(home.tower("unhalt night --json").errorCode()).isEqualTo("halt_not_found");
    assertThat(home.tower("halts").out()).isEqualTo("no halts\n");
    assertThat(home.events()).containsSubsequence("halt_placed", "lock_blocked", "halt_lifted");
    assertThat(home.audit().stream().filter(line -> line.contains("\"halt_placed\""))).singleElement().asString()
        .contains(
            "\"halt\":\"night\",\"level\":\"admit\",\"scope\":{\"actors\":[\"alice\",\"claude-*\"],\"intents\":[],"
                + "\"locks\":[\"db-*\",\"app\"],\"all\":false},\"reason\":\"incident 7\",\"actor\":\"alice\"");
  }

  @Test
  @DisplayName("The file HALT halts everything of the home, and is lifted only by removing it")
  void file() throws IOException {
    Path file = Files.writeString(home.root().resolve("HALT"), "kill bad release\n");
    assertThat(home.tower("lock db --json").errorCode()).isEqualTo("halted");
    assertThat(home.tower("halts").out()).contains("HALT").contains("kill").contains("everything")
        .contains("bad release");
    assertThat(home.tower("unhalt HALT").err()).contains("remove the file HALT of the home");
    Files.delete(file);
    assertThat(home.tower("lock db").exit()).isZero();
  }

  @Test
  @DisplayName("A halt covers something, and has a level and a reason")
  void needs() {
    assertThat(home.tower("halt night --reason why").exit()).isEqualTo(64);
    assertThat(home.tower("halt night --all --lock db --reason why").exit()).isEqualTo(64);
    assertThat(home.tower("halt night --all").exit()).isEqualTo(64);
    assertThat(home.tower("halt night --all --level stop --reason why").exit()).isEqualTo(64);
    assertThat(home.tower("halt Night --all --reason why").exit()).isEqualTo(64);
    assertThat(home.tower("lock db").exit()).isZero();
  }
}

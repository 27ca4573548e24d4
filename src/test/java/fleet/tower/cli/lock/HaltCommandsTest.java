package fleet.tower.cli.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.service.config.TestService;

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
  @DisplayName("why, check and prime name the halts in force, on the files and by a service; a halted lock is not free")
  void named() {
    home.tower("halt bots --actor claude-* --level drain --reason one");
    home.tower("halt night --lock db --ttl 1h --reason two");
    try (TestService service = new TestService(home.root())) {
      for (String server : List.of("", " --server " + service.url())) {
        TestHome caller = home.with("TOWER_TOKEN", service.token());
        String bots = "halt bots (drain) covers actors claude-*, by alice until it is lifted: one";
        Outcome why = caller.tower("why db" + server);
        assertThat(why.exit()).isEqualTo(2);
        assertThat(why.out()).contains("halted: " + bots + "\n  try: tower halts\n")
            .contains("halted: halt night (admit) covers locks db, by alice until 2").endsWith("  try: tower halts\n");
        assertThat(caller.tower("why db --json" + server).data().text("status")).hasValue("blocked");
        assertThat(caller.tower("why web" + server))
            .isEqualTo(new Outcome(0, "lock web is free\nhalted: " + bots + "\n  try: tower halts\n", ""));

        Outcome covered = caller.tower("why web --actor claude-1" + server);
        assertThat(covered).isEqualTo(new Outcome(2, "halted: " + bots + "\n  try: tower halts\n", ""));
        assertThat(caller.tower("why web --json --actor claude-1" + server).data().text("status")).hasValue("blocked");

        Outcome check = caller.tower("check db" + server);
        assertThat(check.exit()).isEqualTo(3);
        assertThat(check.out()).isEqualTo("free\n");
        assertThat(check.err()).startsWith(bots + "\nhalt night (admit) covers locks db, by alice until 2");
        assertThat(caller.tower("check db --json" + server).data().objects("halts"))
            .extracting(it -> it.requiredText("name")).containsExactly("bots", "night");

        Outcome prime = caller.tower("prime" + server);
        assertThat(prime.out()).contains("\n## Halted now\n- " + bots + "\n- halt night (admit) covers locks db, by ");
        assertThat(caller.tower("prime --json" + server).data().texts("halts")).containsExactly("bots", "night");
      }
    }
  }

  @Test
  @DisplayName("A lock is not free if a halt covers the caller, and all intents whose runs take it")
  void ofIntents() {
    for (String intent : List.of("deploy-web", "deploy-api", "wipe")) {
      TestService.declare(home.root(), intent, "{ mode: mutate, controls: { lock: " + (intent.equals("wipe")
          ? "app"
          : "\"${params.app}\" }, params: { app: { type: string, required: true }") + " }, steps: [{ name: a, run: "
          + "[\"true\"] }] }");
    }
    home.tower("halt deploys --intent deploy-* --reason one");
    assertThat(home.tower("why web").exit()).isEqualTo(2);
    assertThat(home.tower("why app").out())
        .startsWith("lock app is free\nhalted: halt deploys (admit) covers intents ");
    home.tower("halt deploys --intent deploy-* --actor bob --reason one");
    assertThat(home.tower("why web").out()).startsWith("lock web is free\nhalted: ");
    assertThat(home.tower("why web --actor bob").out()).startsWith("halted: ");
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

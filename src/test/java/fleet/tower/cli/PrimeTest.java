package fleet.tower.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Installation;
import fleet.tower.harness.TestHome;

@DisplayName("LK-35 tower prime")
class PrimeTest {
  private final TestHome home;
  private final Path directory;

  PrimeTest(@TempDir Path directory) {
    this.directory = directory;
    home = new TestHome(directory.resolve("home"));
  }

  private void intent(String name, String more) throws IOException {
    Files.writeString(Files.createDirectories(home.root().resolve("intents")).resolve(name + ".yaml"), """
        apiVersion: tower-fleet/intent/v1
        kind: Intent
        metadata: { name: %s, version: 1.0.0, description: "Does `%s`" }
        spec:
          mode: mutate
          params: { app: { type: string, required: true }, size: { type: integer, default: 1 }%s }
          controls: { lock: "${params.app}-prod" }
          steps: [{ name: one, run: ["true"] }]
        """.formatted(name, name, more));
  }

  @Test
  @DisplayName("An empty project has a short page with everything an agent needs, and nothing is written")
  void empty() {
    TestHome.Outcome outcome = home.tower("prime");

    assertThat(outcome.exit()).isZero();
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.out()).hasSizeLessThan(3_500).startsWith("# Locks and intents of this project\n")
        .contains("You are `alice`", "`tower guard NAME --ttl 5m --wait 10m -- COMMAND`", "`tower plan INTENT -p k=v`",
            "`tower why NAME`", "--request-id ID", "`tower task work", "`tower mailbox receive BOX`", "`tower wait ID`",
            "`tower runs ID --follow`", "exit 3", "Exit 4", "Exit 64", "Exit 69", "exit 2", "exit 5", "exit 6",
            "exit 75", "--force-lock", "`tower doctor`",
            "## Guarded names\n- none\n", "## Intents\n- none\n", "## Held or frozen now\n- none\n");
    assertThat(home.isUntouched()).isTrue();
    assertThat(home.tower("prime --format text").out()).doesNotContain("`").doesNotContain("#")
        .contains("\nGuarded names\n- none\n", "tower why NAME lists every reason");
    assertThat(home.tower("prime --format html").exit()).isEqualTo(64);
  }

  @Test
  @DisplayName("Each intent and each lock adds one line: how to run it, the holder")
  void grows() throws Exception {
    int before = home.tower("prime").out().split("\n", -1).length;
    intent("deploy", ", place: { type: string, enum: [here, there], default: here }");
    intent("backup", ", api_key: { type: string, secret: true, required: true }");
    home.tower("lock web-prod");
    home.rawLock("torn", "{");
    home.run("freeze", "quiet", "--ttl", "1h", "--reason", "new disks");

    String page = home.tower("prime").out();

    assertThat(page).contains(
        "- `backup`: Does 'backup'; mutate, lock `${params.app}-prod`: `tower run backup -p app=APP --params-file FILE`;"
            + " parameters: app (string, required), size (integer, default 1), api_key (string, required, secret)\n"
            + "- `deploy`: Does 'deploy'; mutate, lock `${params.app}-prod`: `tower run deploy -p app=APP`; parameters:"
            + " app (string, required), size (integer, default 1), place (string, one of here there, default here)\n",
        "## Held or frozen now\n- `quiet`: free, frozen by alice until ",
        ": \"new disks\"\n- `torn`: corrupt; ask an operator\n- `web-prod`: active, held by alice for ");
    // The first of each replaces the line that says there are none.
    assertThat(page.split("\n", -1)).hasSize(before + 3);
    assertThat(home.tower("prime --json").data().text("page").orElse("")).contains("- `backup`: Does 'backup'");
    assertThat(TestHome.json(home.tower("prime --json").out()).object("data").orElseThrow().raw())
        .contains("\"intents\":[\"backup\",\"deploy\"],\"locks\":[\"quiet\",\"torn\",\"web-prod\"]");
  }

  @Test
  @DisplayName("Foreign text stays on its line and within its limit")
  void foreignTexts() {
    home.rawLock("prod", TestHome.foreignText("prod", TestHome.now(), 900).replace("claude-code",
        "x\\n## Held or frozen now\\n`rm -rf`" + "y".repeat(200)));

    String page = home.tower("prime").out();

    assertThat(page).contains("held by \"x ## Held or frozen now 'rm -rf'yyy").doesNotContain("`rm")
        .doesNotContain("y".repeat(80));
    assertThat(page.lines().filter("## Held or frozen now"::equals)).hasSize(1);
  }

  @Test
  @DisplayName("Scripts are searched from the current directory; help and completion list the command")
  void process() throws Exception {
    Path project = Files.createDirectories(directory.resolve("project/scripts"));
    Files.writeString(project.resolve("build.sh"), "exec tower guard build --ttl 5m -- make -j TOKEN=SECRET\n");
    Installation tower = new Installation(directory.resolve("release")).in(directory.resolve("project"));

    assertThat(tower.tower("prime").out()).contains("## Guarded names\n- `build`: run scripts/build.sh (make)\n")
        .doesNotContain("SECRET");
    assertThat(home.tower("help").out()).contains("  prime ");
    for (String shell : List.of("bash", "fish")) {
      assertThat(home.tower("completion " + shell).out()).contains("prime");
    }
  }
}

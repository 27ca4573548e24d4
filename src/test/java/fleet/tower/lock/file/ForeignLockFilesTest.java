package fleet.tower.lock.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.json.JsonObject;

@DisplayName("Lock files of other programs on the command line")
class ForeignLockFilesTest {
  @TempDir
  private Path temp = Path.of("");

  @Test
  @DisplayName("TF-A14 TF-7.3 one with a long ttl, another time zone and empty members is read, blocks, and can "
      + "be stolen when stale")
  void theft() {
    TestHome home = new TestHome(temp.resolve("home"));
    String ours = TestHome.foreignText("prod", TestHome.now().minus(Duration.ofDays(30)), 864_000);
    home.rawLock("prod", ours.replaceFirst("(\"actor\": *)\"[^\"]*\"", "$1\"\"")
        .replaceFirst("(\"request_id\": *)\"[^\"]*\"", "$1\"req abc\"").replaceAll("(T[0-9:]+)Z", "$1+00:30"));

    assertThat(home.tower("check prod").out()).startsWith("stale");
    JsonObject lock = home.tower("locks prod --json").data();
    assertThat(lock.text("request_id")).hasValue("req abc");
    assertThat(lock.integer("ttl_seconds")).hasValue(864_000);
    assertThat(home.tower("lock prod").exit()).isEqualTo(5);
    assertThat(home.tower("why prod").out() + home.tower("why prod").err()).contains("an unnamed actor");
    assertThat(home.tower("lock prod --force-lock --request-id new").exit()).isZero();
    assertThat(home.audit()).anySatisfy(line -> assertThat(line).contains("\"event\":\"lock_stolen\"",
        "\"previous_lock\":{\"request_id\":\"req abc\",\"actor\":\"\","));
  }

  @Test
  @DisplayName("A lock may have an intent without a name, as the specification's script writes it")
  void emptyIntent() {
    TestHome home = new TestHome(temp.resolve("home"));

    Outcome taken = home.tower("lock prod --intent= --intent-version= --json");

    assertThat(taken.exit()).isZero();
    assertThat(home.lockText("prod")).contains("\"intent\": \"\"", "\"intent_version\": \"\"");
    assertThat(home.tower("lock dev --intent").err()).startsWith("tower: --intent needs a value: --intent I");
    assertThat(home.tower("lock dev --actor= ").err()).startsWith("tower: --actor needs a value");
  }
}

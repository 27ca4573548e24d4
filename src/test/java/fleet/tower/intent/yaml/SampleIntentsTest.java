package fleet.tower.intent.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.Template;
import fleet.tower.intent.Values;
import fleet.tower.platform.time.ManualTime;

@DisplayName("The sample intents")
class SampleIntentsTest {
  static final Path SAMPLES = Path.of(System.getProperty("project.basedir", ".")).resolve("intents");

  private final Catalogue catalogue = new IntentFiles(SAMPLES, new ManualTime(), false).catalogue();

  @Test
  @DisplayName("They have no errors and no warnings")
  void sound() {
    assertThat(catalogue.complaints()).isEmpty();
    assertThat(catalogue.list()).extracting(Intent::name).containsExactly("copy-records", "deploy-app", "disk-report",
        "greet",
        "move-traffic", "rotate-key", "slow-import", "sync-issues", "tidy-demo", "word-count");
    assertThat(catalogue.list()).allMatch(intent -> intent.warnings().isEmpty());
  }

  @Test
  @DisplayName("TF-2.1 the lock of deploy-app is named after the app and the environment")
  void lockName() {
    Intent deploy = catalogue.find("deploy-app").orElseThrow();
    Values.ReadOutcome reading = Values.read(deploy.params(),
        Map.of("app", new Values.Given("money-tracker", Values.Given.Kind.STRING), "environment",
            new Values.Given("production", Values.Given.Kind.STRING)));

    assertThat(reading).isInstanceOfSatisfying(Values.Accepted.class, good -> assertThat(deploy.lock().orElseThrow()
        .resolve(variable -> variable instanceof Template.Param(String name) ? good.values().text(name) : "?"))
        .isEqualTo("money-tracker-production"));
  }

  @Test
  @DisplayName("An observe intent has no lock; an intent with a schedule has its times in UTC")
  void modes() {
    assertThat(catalogue.find("disk-report").orElseThrow().lock()).isEmpty();
    Intent.Schedule schedule = catalogue.find("tidy-demo").map(Intent::schedule).orElseThrow();

    assertThat(schedule.text()).isEqualTo("0 */5 * * * *");
    assertThat(List.of("2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-12-31T23:57:00Z"))
        .map(moment -> schedule.after(Instant.parse(moment)).orElseThrow().toString())
        .containsExactly("2026-03-29T01:00:00Z", "2026-03-29T01:05:00Z", "2027-01-01T00:00:00Z");
    assertThat(catalogue.find("nothing-like-it")).isEmpty();
  }
}

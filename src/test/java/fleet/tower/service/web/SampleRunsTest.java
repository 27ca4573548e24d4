package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The sample intents, run over HTTP")
class SampleRunsTest {
  private static final Path SAMPLES = Path.of(System.getProperty("project.basedir", ".")).resolve("intents");
  @AutoClose
  private final TestService service;

  SampleRunsTest(@TempDir Path home) throws IOException {
    Files.createDirectories(home.resolve("intents"));
    try (Stream<Path> samples = Files.list(SAMPLES)) {
      for (Path sample : samples.toList()) {
        Files.copy(sample, home.resolve("intents").resolve(sample.getFileName()));
      }
    }
    service = new TestService(home);
  }

  @ParameterizedTest(name = "{0} {1} {2}")
  @DisplayName("Each does what its description says")
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"greet | {} | succeeded | hello world",
      "copy-records | {} | succeeded | ..... 5 copied",
      "disk-report | {} | succeeded | steps", "word-count | {} | succeeded | $(id); rm -rf / has 4 words",
      "deploy-app | {\"app\":\"shop\"} | succeeded | shop-staging",
      "deploy-app | {\"app\":\"shop\",\"fail_at\":\"check\"} | failed | \"failure_step\":\"check\"",
      "move-traffic | {\"colour\":\"green\"} | succeeded | demo-traffic",
      "move-traffic | {\"colour\":\"blue\",\"broken\":true} | failed | traffic was not moved to blue",
      "rotate-key | {\"api_key\":\"s3cr3t-s3cr3t\"} | succeeded | the new key is ***",
      "slow-import | {\"seconds\":0} | succeeded | importing for 0 s under fencing token 1",
      "sync-issues | {} | succeeded | this run alone works on .", "tidy-demo | {} | succeeded | tidy-demo"})
  void sample(String intent, String params, String status, String shown) {
    Answer run = service.post("/intents/" + intent, "{\"params\":" + params + "}");

    assertThat(run.status()).as(run.body()).isEqualTo(200);
    assertThat(run.body()).contains("\"intent\":\"" + intent + "\"", "\"status\":\"" + status + "\",\"result\"", shown)
        .doesNotContain("s3cr3t-s3cr3t");
  }

  @ParameterizedTest
  @DisplayName("No parameter of a sample reaches another directory of the host: plan and run reject it")
  @ValueSource(strings = {"../x", "/etc", "..", ".a", "a/b", "x/../../y", "/"})
  void confined(String database) {
    for (String call : List.of("/intents/sync-issues/plan", "/intents/sync-issues")) {
      Answer answer = service.post(call, "{\"params\":{\"database\":\"" + database + "\"}}");
      assertThat(answer.status()).as(answer.body()).isEqualTo(400);
      assertThat(answer.body()).contains("\"error\":\"invalid_params\"", "/params/database");
    }
  }

  @Test
  @DisplayName("All of them are in the catalogue, without problems")
  void catalogue() {
    assertThat(service.get("/intents").body()).contains("\"complaints\":[]").contains("\"name\":\"tidy-demo\"");
    assertThat(service.get("/locks").body()).matches(
        "\\{\"locks\":\\[],\"heartbeats\":\\{\"beats\":\\d+,\"worst_lateness_ms\":\\d+,\"failures\":0,\"failing\":0}}");
  }
}

package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.TestFiles;
import fleet.tower.service.config.TestService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("A run records its parameters, so that it can be repeated with the same values, and no secret")
class RunParamsTest {
  private static final String DEPLOY = """
      mode: mutate
      params:
        app: { type: string, required: true }
        replicas: { type: integer, default: 3 }
        ratio: { type: number }
        dry: { type: boolean, default: false }
        note: { type: string }
        key: { type: string, secret: true }
      steps:
        - name: one
          script: echo "key $PARAM_KEY note $PARAM_NOTE"
      """;
  private static final String SECRET = "corr3ct-h0rse-battery";

  private Path home;
  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    this.home = home;
    TestService.declare(home, "deploy", DEPLOY);
    service = new TestService(home, "--tower.queue.workers=1");
  }

  private String params(String id) {
    String body = service.get("/runs/" + id).body();
    return body.contains("\"params\":") ? body.substring(body.indexOf("\"params\":")) : "";
  }

  @Test
  @DisplayName("The values are typed as the request has them, with defaults; repeated with them, a run has the same "
      + "ones; lists do not have them")
  void values() {
    String given = "{\"app\":\"wéb \\\"1\\\"\",\"ratio\":1.50e2,\"dry\":true}";
    service.post("/intents/deploy", "{\"request_id\":\"r1\",\"params\":" + given + "}");
    String recorded = "\"params\":{\"app\":\"wéb \\\"1\\\"\",\"replicas\":3,\"ratio\":1.50e2,\"dry\":true}";
    assertThat(params("r1")).isEqualTo(recorded + "}");
    assertThat(service.get("/runs").body()).contains("\"r1\"").doesNotContain("params");

    service.post("/intents/deploy", "{\"request_id\":\"r2\"," + recorded + "}");
    assertThat(params("r2")).isEqualTo(recorded + "}");

    service.post("/intents/deploy", "{\"request_id\":\"q1\",\"queue\":true,\"params\":{\"app\":\"a\"}}");
    assertThat(params("q1")).isEqualTo("\"params\":{\"app\":\"a\",\"replicas\":3,\"dry\":false}}");
  }

  @Test
  @DisplayName("A secret is named and nowhere in the home, nor a value that contains it; a restarted service still "
      + "knows which were given")
  void secrets() {
    String run = service.post("/intents/deploy", "{\"request_id\":\"s1\",\"reason\":\"rotate " + SECRET
        + "\",\"params\":{\"app\":\"web\",\"key\":\"" + SECRET + "\",\"note\":\"is " + SECRET + "!\"}}").body();
    String recorded = "\"params\":{\"app\":\"web\",\"replicas\":3,\"dry\":false},\"secret_params\":[\"note\",\"key\"]}";
    assertThat(run).contains("\"status\":\"succeeded\"");
    assertThat(params("s1")).isEqualTo(recorded);
    service.close();
    assertThat(TestFiles.containing(home, SECRET)).isEmpty();
    assertThat(TestFiles.containing(home, "deploy")).as("the search finds what exists").isNotEmpty();

    service = new TestService(home, "--tower.queue.workers=1");
    assertThat(params("s1")).isEqualTo(recorded);
  }
}

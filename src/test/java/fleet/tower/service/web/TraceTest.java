package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.service.config.TestService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("A run in a trace")
class TraceTest {
  private static final String PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String OTHER = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

  @AutoClose
  private final TestService service;

  TraceTest(@TempDir Path home) {
    TestService.declare(home, "show", """
        mode: observe
        steps:
          - { name: one, script: 'echo "parent=$(printenv TRACEPARENT || echo none)"' }
        """);
    service = new TestService(home, "--tower.queue.workers=1");
  }

  private TestService.Answer run(String body, String traceparent) {
    return service.call("POST", "/intents/show", body, "Content-Type", "application/json", "traceparent", traceparent);
  }

  @Test
  @DisplayName("Its record has its trace, its steps inherit it, and a repetition from another span returns the "
      + "same run")
  void isHandedOn() {
    TestService.Answer first = run("{\"request_id\":\"r1\"}", PARENT);

    assertThat(first.status()).isEqualTo(200);
    assertThat(first.body()).contains("\"traceparent\":\"" + PARENT + "\"", "parent=" + PARENT);
    assertThat(service.get("/runs/r1").body()).contains("\"traceparent\":\"" + PARENT + "\"");
    TestService.Answer again = run("{\"request_id\":\"r1\"}", OTHER);
    assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(again.body()).isEqualTo(first.body());
  }

  @Test
  @DisplayName("A queued run keeps its trace")
  void isQueued() {
    assertThat(run("{\"request_id\":\"q1\",\"queue\":true}", PARENT).body()).contains("parent=" + PARENT);
  }

  @ParameterizedTest
  @DisplayName("An invalid traceparent is ignored")
  @ValueSource(strings = {"00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
      "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", "$(id)", PARENT + "-more"})
  void isNone(String traceparent) {
    assertThat(run("{}", traceparent).body()).contains("parent=none").doesNotContain("traceparent");
  }
}

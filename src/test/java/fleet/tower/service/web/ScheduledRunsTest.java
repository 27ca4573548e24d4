package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;

@DisplayName("Scheduled intents in the service")
class ScheduledRunsTest {

  @Test
  @DisplayName("An intent due every second runs on its own; while its lock is held it is skipped, and that is audited")
  void everySecond(@TempDir Path home) {
    TestService.declare(home, "tick", """
        mode: reconcile
        controls: { lock: tick }
        steps:
          - name: tick
            run: [echo, tock]
        schedule: "*/1 * * * * *"
        """);
    try (TestService service = new TestService(home)) {
      Await.until("it runs twice", () -> service.get("/runs?intent=tick&status=succeeded&limit=2").body()
          .split("\"request_id\":\"schedule:tick:", -1).length == 3);
      assertThat(service.get("/runs?limit=1").body()).contains("\"actor\":\"schedule\"", "\"mode\":\"reconcile\"");

      Await.until("this process holds the lock",
          () -> service.post("/locks/tick", "{\"request_id\":\"me\"}").status() < 300);
      Await.until("it is skipped", () -> service.get("/audit?event=run_skipped").body()
          .contains("\"reason\":\"lock_blocked\""));
      assertThat(service.get("/audit?event=run_skipped&limit=1").stable()).matches(
          "\\{\"events\":\\[\\{\"event\":\"run_skipped\",\"request_id\":\"schedule:tick:TIME\",\"timestamp\":\"TIME\".*}]}");
    }
  }
}

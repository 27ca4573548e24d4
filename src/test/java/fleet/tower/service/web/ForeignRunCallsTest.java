package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Other tools' locks over HTTP")
class ForeignRunCallsTest {
  private final Path file;
  @AutoClose
  private final TestService service;

  ForeignRunCallsTest(@TempDir Path home) throws IOException {
    file = Files.createDirectories(home.resolve("project")).resolve(".exclusive-lock");
    TestService.declare(home, "sync", """
        mode: mutate
        controls: { lock: sync, respect: ["beads:project"], exclusive: ["flock:project/flock"] }
        steps: [{ name: work, run: [echo, done] }]
        """);
    service = new TestService(home);
  }

  @Test
  @DisplayName("A run blocked by another tool's lock is 409 foreign_lock with its holder; it runs once the lock "
      + "is gone")
  void refused() throws IOException {
    Files.writeString(file, """
        { "holder": "vc-executor", "pid": 7, "hostname": "another-host", "started_at": "2025-10-25T12:00:00Z" }
        """);
    Answer refused = service.post("/intents/sync", "{\"request_id\":\"sync-1\"}");

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.header("Retry-After")).isEmpty();
    assertThat(refused.body()).isEqualTo("{\"type\":\"about:blank\",\"title\":\"Conflict\",\"status\":409,\"detail\":"
        + "\"foreign lock beads:project is held by vc-executor (pid 7 on another-host, since 2025-10-25T12:00:00Z)\","
        + "\"error\":\"foreign_lock\",\"foreign_lock\":\"beads:project\",\"holder\":\"vc-executor\",\"held_by\":"
        + "{\"holder\":\"vc-executor\",\"pid\":7,\"hostname\":\"another-host\",\"started_at\":\"2025-10-25T12:00:00Z\"},"
        + "\"suggestion\":\"Wait until it is released; if its holder is on another host and gone, remove "
        + "project/.exclusive-lock by hand\",\"next_actions\":[{\"method\":\"POST\",\"href\":\"/intents/sync\","
        + "\"body\":{\"request_id\":\"sync-1\",\"wait_seconds\":600},"
        + "\"command\":\"tower run sync --request-id sync-1 --wait 10m\",\"why\":\"wait for it\"},"
        + "{\"method\":\"POST\",\"href\":\"/intents/sync/plan\",\"body\":{},"
        + "\"command\":\"tower why beads:project\",\"why\":\"see its state and holder\"}]}");
    assertThat(service.get("/locks").body()).startsWith("{\"locks\":[]");
    assertThat(service.get("/runs/sync-1").status()).isEqualTo(404);
    assertThat(service.post("/intents/sync/plan", "{}").body()).contains("\"foreign_locks\":[{\"use\":\"respect\","
        + "\"foreign_lock\":\"beads:project\",\"state\":\"held\",\"held_by\":{\"holder\":\"vc-executor\"",
        "{\"use\":\"exclusive\",\"foreign_lock\":\"flock:project/flock\",\"state\":\"free\"}");
    assertThat(service.get("/intents/sync").body())
        .contains("\"respect\":[\"beads:project\"],\"exclusive\":[\"flock:project/flock\"]");

    Files.delete(file);
    assertThat(service.post("/intents/sync", "{\"request_id\":\"sync-1\"}").body())
        .contains("\"status\":\"succeeded\"");
    assertThat(service.get("/audit?request_id=sync-1").body()).contains("foreign_lock_acquired",
        "foreign_lock_released");
  }
}

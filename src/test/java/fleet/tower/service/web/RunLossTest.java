package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.JavaProcess;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("A run over HTTP that loses its lock")
class RunLossTest {
  @AutoClose
  private final TestRunService bench;
  private final TestService service;

  RunLossTest(@TempDir Path home) {
    bench = new TestRunService(home, "--tower.heartbeat.max-interval=1s");
    service = bench.service;
  }

  @Test
  @DisplayName("Its step is stopped, nothing is rolled back, it is audited, and the new holder's lock file stays "
      + "byte for byte")
  void lost() throws Exception {
    CompletableFuture<Answer> running = bench.begin("loss", "loss-1");
    service.foreignLock("thief", SystemTime.source().now(), 600);
    Path locks = service.home().resolve("logs/locks");
    byte[] theirs = Files.readString(locks.resolve("thief.lock")).replace("\"thief\"", "\"loss\"").getBytes(
        StandardCharsets.UTF_8);
    Files.write(locks.resolve("thief.lock"), theirs);
    Process thief = new ProcessBuilder(JavaProcess.command(GuardedMove.class, locks.resolve("thief.lock").toString(),
        locks.resolve("loss.lock").toString())).redirectErrorStream(true).start();
    assertThat(Await.exitOf(thief)).as(new String(thief.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .isZero();

    Answer answer = running.get();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.stable()).isEqualTo("""
        {"request_id":"loss-1","intent":"wait","intent_version":"1.0.0","mode":"mutate","actor":"operator",\
        "status":"lock_lost","result":"failure","failure_step":"work","host_id":"tower-01","lock_name":"loss",\
        "lock":{"lock_name":"loss",\
        "lock_path":"HOME/logs/locks/loss.lock","ttl_seconds":900,"fencing_token":1,\
        "heartbeat":"timer","stolen":false,"lost":true},"heartbeat_failures":0,"warnings":[],\
        "steps":[{"name":"work","status":"lock_lost","exit_code":143,"started_at":"TIME","duration_ms":0,\
        "log":"work","output_tail":"begun"}],\
        "rollback":[{"name":"rollback","status":"skipped","note":"skipped: lock lost"}],\
        "metadata":{},"created_at":"TIME","finished_at":"TIME"}""");
    assertThat(locks.resolve("loss.lock")).hasBinaryContent(theirs);
    assertThat(service.get("/locks/loss").body()).contains("\"request_id\":\"req_old\",\"actor\":\"bob\"");
    assertThat(service.get("/audit?lock_name=loss&event=lock_lost").stable()).contains("\"request_id\":\"loss-1\"");
    assertThat(service.get("/audit?lock_name=loss&event=lock_released").body()).doesNotContain("loss-1");
    assertThat(service.get("/audit?request_id=loss-1&event=run_finished").stable())
        .contains("\"status\":\"lock_lost\"", "\"rollback\":\"skipped: lock lost\"");
  }
}

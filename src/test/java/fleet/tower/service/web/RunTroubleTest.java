package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Runs over HTTP with a broken home or a stopping service")
class RunTroubleTest {
  private final TestRunService bench;
  private final TestService service;
  private final Path home;

  RunTroubleTest(@TempDir Path home) {
    this.home = home;
    bench = new TestRunService(home, "--tower.shutdown.grace=2m");
    service = bench.service;
  }

  @Test
  @DisplayName("TF-A22 an unusable lock directory is 503, and nothing is run")
  void storage() throws Exception {
    try (bench) {
      assertThat(service.post("/intents/fail", "{}").status()).isEqualTo(200);
      Path locks = home.resolve("logs/locks");
      Files.move(locks, home.resolve("logs/moved"));
      Files.writeString(locks, "in the way");

      Answer refused = service.post("/intents/short", "{\"request_id\":\"s-1\"}");
      assertThat(refused.status()).as(refused.body()).isEqualTo(503);
      assertThat(refused.body()).contains("\"error\":\"storage_unavailable\"", "see `tower doctor`");
      assertThat(service.get("/runs/s-1").status()).isEqualTo(404);
      assertThat(bench.lines("order-short")).isEmpty();
      Files.delete(locks);
      Files.move(home.resolve("logs/moved"), locks);
      assertThat(service.post("/intents/short", "{\"request_id\":\"s-1\"}").body()).contains("succeeded");
    }
  }

  @Test
  @DisplayName("A stopping service ends the waits for locks, gives runs time to end, and answers all of them")
  void stops() throws Exception {
    CompletableFuture<Answer> running = bench.begin("stop", "stop-1");
    CompletableFuture<Answer> waiting = service.later("/intents/wait",
        "{\"params\":{\"lock\":\"stop\"},\"request_id\":\"stop-2\",\"wait_seconds\":600}");
    service.post("/locks/other", "{\"request_id\":\"r1\"}");
    CompletableFuture<Answer> client = service.later("/locks/other", "{\"wait_seconds\":600}");
    Await.until("both wait", () -> service.get("/locks/stop").body().contains("\"waiters\":1")
        && service.get("/locks/other").body().contains("\"waiters\":1"));

    // Not in the common pool, whose one thread on two cores delivers the answers.
    Thread stopped = Thread.ofPlatform().start(bench::close);
    assertThat(waiting.get().body()).contains("\"status\":\"cancelled\"");
    assertThat(service.post("/intents/short", "{}").body()).isEqualTo("""
        {"type":"about:blank","title":"Service Unavailable","status":503,\
        "detail":"no new run is started, because the service is shutting down","error":"shutting_down",\
        "suggestion":"try again when it is back",\
        "next_actions":[{"method":"POST","href":"/intents/short","body":{},"command":"tower run short",\
        "why":"send the same request again in a moment"}]}""");
    assertThat(running.isDone()).isFalse();
    bench.letGo("stop");
    assertThat(running.get().body()).contains("\"status\":\"succeeded\"");
    assertThat(client.get()).returns(503, Answer::status).returns("""
        {"type":"about:blank","title":"Service Unavailable","status":503,\
        "detail":"waiting for lock other ended, because the service is shutting down","error":"shutting_down",\
        "suggestion":"try again when it is back",\
        "next_actions":[{"method":"POST","href":"/locks/other","body":{"wait_seconds":600},\
        "command":"tower lock other --wait 10m","why":"send the same request again in a moment"},\
        {"method":"GET","href":"/locks","command":"tower locks","why":"see what is there"}]}""", Answer::body);
    stopped.join();
  }
}

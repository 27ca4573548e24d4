package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Queued runs over HTTP")
class QueuedRunCallsTest extends SharedRunServiceTest {
  private static final String[] ASYNC = {"Content-Type", "application/json", "Prefer", "respond-async"};

  QueuedRunCallsTest() {
    super("--tower.queue.workers=1");
  }

  @BeforeEach
  void awaitSettled() {
    Await.until("the runs of the test before are settled",
        () -> service.get("/mailboxes/tower-runs").body().contains("\"messages\":0"));
  }

  private Answer queue(String intent, String lock, String id) {
    return service.call("POST", "/intents/" + intent,
        "{\"params\":{\"lock\":\"" + lock + "\"},\"request_id\":\"" + id + "\",\"queue\":true}", ASYNC);
  }

  private void awaitStatus(String id, String status) {
    Await.until(id + " is " + status,
        () -> service.get("/runs/" + id).body().contains("\"status\":\"" + status + "\""));
  }

  @Test
  @DisplayName("A queued run is answered at once with its address, taken by a worker, and shown like every run, "
      + "as queued")
  void queued() {
    Answer answer = queue("short", "one", "q-1");
    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.header("Location")).isEqualTo("/runs/q-1");
    assertThat(answer.body()).contains("\"request_id\":\"q-1\"", "\"queued\":true");

    awaitStatus("q-1", "succeeded");
    assertThat(bench.lines("order-one")).containsExactly("q-1");
    Await.until("its end is in the audit log too",
        () -> service.get("/audit?request_id=q-1").body().contains("run_finished"));
    assertThat(service.get("/audit?request_id=q-1").body()).containsSubsequence("run_queued", "lock_acquired",
        "run_started", "lock_released", "run_finished");
    Answer again = queue("short", "one", "q-1");
    assertThat(again.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(bench.lines("order-one")).containsExactly("q-1");
  }

  @OneHost("each host has a worker")
  @Test
  @DisplayName("One worker runs one at a time, in the order of submission; a waiting run is cancelled and never starts")
  void inOrder() {
    queue("wait", "gate", "n-1");
    Await.until("the first runs", () -> bench.lines("begun-gate").contains("n-1"));
    for (int i = 2; i <= 4; i++) {
      assertThat(queue("short", "order", "n-" + i).body()).contains("\"status\":\"waiting\"");
    }
    assertThat(service.get("/mailboxes/tower-runs").body()).contains("\"ready\":3", "\"leased\":1");
    assertThat(service.post("/runs/n-3/cancel", "{}").status()).isEqualTo(202);
    assertThat(service.get("/runs/n-3").body()).contains("\"status\":\"cancelled\"");

    bench.letGo("gate");

    awaitStatus("n-4", "succeeded");
    assertThat(bench.lines("order-order")).containsExactly("n-2", "n-4");
    assertThat(service.get("/runs/n-1").body()).contains("\"status\":\"succeeded\"");
  }

  @Test
  @DisplayName("An invalid run is rejected at once: an unknown intent, bad parameters, a secret, a queue that is not a "
      + "boolean")
  void refused() {
    String before = service.get("/runs").body();
    assertThat(queue("nothing", "x", "f-1").status()).isEqualTo(404);
    assertThat(service.post("/intents/wait", "{\"params\":{},\"queue\":true}").status()).isEqualTo(400);
    Answer secret = service.post("/intents/vault", "{\"params\":{\"key\":\"hush-hush-hush\"},\"queue\":true}");
    assertThat(secret.status()).isEqualTo(400);
    assertThat(secret.body()).contains("\"error\":\"invalid_params\"", "/params/key", "secret")
        .doesNotContain("hush-hush");
    assertThat(service.post("/intents/short", "{\"queue\":\"yes\"}").status()).isEqualTo(400);
    assertThat(service.get("/runs").body()).isEqualTo(before);
    assertThat(service.get("/mailboxes/tower-runs").body()).contains("\"messages\":0");
  }

  @Test
  @DisplayName("If the lock is held when the run is taken, the run ends with the usual result")
  void blocked() {
    service.post("/locks/busy", "{}");

    queue("short", "busy", "b-1");

    awaitStatus("b-1", "refused");
    assertThat(service.get("/runs/b-1").body()).contains("\"refusal\":{\"error\":\"lock_blocked\"");
    assertThat(service.get("/actuator/health/readiness").body()).contains("\"workers\":{\"status\":\"UP\"}");
    assertThat(Files.exists(service.home().resolve("order-busy"))).isFalse();
  }
}

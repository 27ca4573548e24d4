package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.call.overview.OverviewFollower;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Two services with separate homes and one PostgreSQL database")
class FleetRunsTest {
  private final String url = PostgresServer.newDatabase();
  private final TestRunService one;
  private final TestRunService two;

  FleetRunsTest(@TempDir Path directory) {
    one = bench(directory.resolve("one"), "tower-01");
    two = bench(directory.resolve("two"), "tower-02");
  }

  private TestRunService bench(Path home, String host) {
    return new TestRunService(home, "--tower.database.url=" + url, "--tower.host-id=" + host,
        "--tower.queue.workers=1");
  }

  @AfterEach
  void close() {
    two.close();
    one.close();
  }

  @Test
  @DisplayName("A run of one host is visible on the other, its lock blocks it, and both show the same holders")
  void seen() throws Exception {
    CompletableFuture<Answer> running = one.begin("shared", "run-1");

    Answer blocked = two.service.post("/intents/short", "{\"params\":{\"lock\":\"shared\"}}");
    assertThat(blocked.status()).isEqualTo(409);
    assertThat(blocked.body()).contains("\"error\":\"lock_blocked\"", "\"host_id\":\"tower-01\"");
    assertThat(two.service.get("/runs/run-1").body()).contains("\"status\":\"running\"");
    for (TestRunService host : List.of(one, two)) {
      Await.until("a host has its output", () -> host.service.get("/runs/run-1/output").body()
          .contains("\"lines\":[{\"offset\":0,\"text\":\"begun\"}]"));
    }
    String hosts = two.service.get("/hosts").body();
    assertThat(hosts).contains("{\"host_id\":\"tower-01\",\"alive\":true,",
        "\"runs\":[{\"request_id\":\"run-1\",\"intent\":\"wait\",\"status\":\"running\"}],"
            + "\"locks\":[{\"lock_name\":\"shared\",\"state\":\"active\",\"request_id\":\"run-1\",\"fencing_token\":1000000000001}]",
        "{\"host_id\":\"tower-02\",\"alive\":true,");

    one.letGo("shared");
    assertThat(running.get().body()).contains("\"status\":\"succeeded\"");
    assertThat(two.service.get("/runs/run-1/events?output=sizes").body())
        .isEqualTo(one.service.get("/runs/run-1/events?output=sizes").body());
    assertThat(two.service.get("/runs/run-1").body()).contains("\"status\":\"succeeded\"");
    assertThat(two.service.post("/intents/short", "{\"params\":{\"lock\":\"shared\"}}").body())
        .contains("\"fencing_token\":1000000000002");
  }

  @Test
  @DisplayName("The overview of one host follows the runs, locks and waiters of the other")
  @ProofsProfile
  void overview() throws Exception {
    try (OverviewFollower client = new OverviewFollower(two.service)) {
      CompletableFuture<Answer> running = one.begin("shared", "run-1");
      client.awaitRow("runs", "run-1", "\"step\":{\"name\":\"work\"");
      client.awaitRow("locks", "shared", "\"request_id\":\"run-1\"");
      assertThat(client.row("runs", "run-1")).contains("\"status\":\"running\",\"host_id\":\"tower-01\"");
      CompletableFuture<Answer> waiting = one.service.later("/intents/short",
          "{\"params\":{\"lock\":\"shared\"},\"request_id\":\"run-2\",\"wait_seconds\":300}");
      client.awaitRow("locks", "shared", "\"waiters\":1");
      client.awaitRow("runs", "run-2",
          "\"waiting\":{\"lock_name\":\"shared\",\"position\":1,\"ahead\":[],\"held_by\":{\"request_id\":\"run-1\"");
      client.awaitRow("hosts", "tower-01", "\"alive\":true");

      one.letGo("shared");
      assertThat(running.get().body()).contains("\"status\":\"succeeded\"");
      assertThat(waiting.get().body()).contains("\"status\":\"succeeded\"");
      client.awaitNone("runs", "run-1");
      client.awaitNone("runs", "run-2");
      client.awaitNone("locks", "shared");
    }
  }

  @Test
  @DisplayName("A busy host's queued run is taken by another host")
  void queued() throws Exception {
    CompletableFuture<Answer> busy = one.service.later("/intents/wait",
        "{\"params\":{\"lock\":\"busy\"},\"request_id\":\"q-1\",\"queue\":true}");
    Await.until("an executor runs it",
        () -> one.lines("begun-busy").contains("q-1") || two.lines("begun-busy").contains("q-1"));
    boolean isWithOne = one.lines("begun-busy").contains("q-1");
    TestRunService idle = isWithOne ? two : one;
    TestRunService taken = isWithOne ? one : two;

    taken.service.call("POST", "/intents/short",
        "{\"params\":{\"lock\":\"free\"},\"request_id\":\"q-2\",\"queue\":true}",
        "Content-Type", "application/json", "Prefer", "respond-async");

    Await.until("it has ended",
        () -> taken.service.get("/runs/q-2").body().contains("\"status\":\"succeeded\""));
    assertThat(Map.of("idle", idle.lines("order-free"), "taken", taken.lines("order-free")))
        .isEqualTo(Map.of("idle", List.of("q-2"), "taken", List.of()));
    taken.letGo("busy");
    assertThat(busy.get().body()).contains("\"status\":\"succeeded\"");
  }
}

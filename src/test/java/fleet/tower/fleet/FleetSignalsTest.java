package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.Installation;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.TestRunService;

@DisplayName("Runs of one host of a fleet, cancelled and followed through another")
class FleetSignalsTest {
  private static final int KILLED = 137;

  private final String url = PostgresServer.newDatabase();
  private final Path directory;
  private final TestRunService one;
  private final TestRunService two;

  FleetSignalsTest(@TempDir Path directory) {
    this.directory = directory;
    one = service("one", "tower-01");
    two = service("two", "tower-02");
  }

  private TestRunService service(String home, String host) {
    return new TestRunService(directory.resolve(home), "--tower.database.url=" + url, "--tower.host-id=" + host,
        "--tower.queue.workers=1");
  }

  @AfterEach
  void close() {
    two.close();
    one.close();
  }

  private static String body(TestRunService service, String path) {
    Answer answer = service.service.get(path);
    assertThat(answer.status()).isEqualTo(200);
    return answer.body();
  }

  /** Both services show the same; what is read at two moments may differ once. */
  private void assertSame(String... fragments) {
    for (String path : List.of("/runs/run-1", "/runs")) {
      Await.asserted("both show the same of " + path, Await.LIMIT,
          () -> assertThat(body(two, path)).isEqualTo(body(one, path)).contains(fragments));
    }
  }

  @Test
  @DisplayName("A run is cancelled through another host: stopped, undone, its lock released; it is audited once")
  void cancelled() throws Exception {
    CompletableFuture<Answer> running = one.begin("shared", "run-1");
    assertSame("\"status\":\"running\"", "\"host_id\":\"tower-01\"");

    Answer accepted = two.service.post("/runs/run-1/cancel", "");
    assertThat(accepted.status()).isEqualTo(202);
    assertThat(accepted.header("Location")).isEqualTo("/runs/run-1");
    assertThat(two.service.post("/runs/run-1/cancel", "").status()).as("again").isIn(202, 409);

    assertThat(running.get().body()).contains("\"status\":\"cancelled\"");
    assertSame("\"status\":\"cancelled\"");
    assertThat(two.service.get("/locks/shared").status()).isEqualTo(404);
    assertThat(two.service.post("/runs/run-1/cancel", "")).returns(409, Answer::status).satisfies(
        late -> assertThat(late.body()).contains("\"error\":\"run_finished\"",
            "\"detail\":\"run run-1 has finished, so there is nothing to cancel\""));
    assertThat(new DirectTables(url).look("SELECT request_id FROM run_requests")).isEmpty();
    Await.until("it is audited", () -> !events("run_cancel_requested").isEmpty());
    assertThat(events("run_finished")).hasSize(1);
  }

  private List<String> events(String event) {
    return body(one, "/audit?event=" + event).lines().filter(line -> line.contains("run-1")).toList();
  }

  @Test
  @DisplayName("A waiting run shows its place in line at both; it is cancelled, and its call at the other host ends")
  void waiting() throws Exception {
    CompletableFuture<Answer> holder = two.begin("shared", "run-0");
    CompletableFuture<Answer> waiting = one.service.later("/intents/short",
        "{\"params\":{\"lock\":\"shared\"},\"request_id\":\"run-1\",\"wait_seconds\":300}");
    Await.until("it waits", () -> two.service.get("/runs/run-1").body().contains("\"position\":1"));
    assertSame("\"status\":\"waiting\"", "\"run-1\"");
    assertThat(body(two, "/runs/run-1")).contains("\"held_by\":{\"request_id\":\"run-0\"");

    CompletableFuture<Answer> elsewhere = CompletableFuture.supplyAsync(
        () -> two.service.call("GET", "/runs/run-1", "", "Prefer", "wait=300"));
    assertThat(two.service.post("/runs/run-1/cancel", "").status()).isEqualTo(202);

    assertThat(waiting.get().body()).contains("\"status\":\"cancelled\"");
    assertThat(elsewhere.get().body()).contains("\"status\":\"cancelled\"");
    two.letGo("shared");
    assertThat(holder.get().body()).contains("\"status\":\"succeeded\"");
  }

  @Test
  @DisplayName("A stopped host gets the request when it resumes; for a killed one the answer says that it was lost")
  @ProofsProfile
  void stopped() throws Exception {
    Installation host = new Installation(directory.resolve("release")).with("TOWER_DATABASE_URL", url)
        .with("TOWER_HOST_ID", "tower-03");
    TestService.declare(host.home(), "hold", """
        mode: mutate
        controls: { lock: "${params.lock}" }
        params: { lock: { type: string, required: true } }
        steps:
          - name: hold
            script: echo begun; touch "$TOWER_HOME/begun-$PARAM_LOCK"; sleep 300
            rollback: [echo, undone]
        """);
    Process stopped = begin(host, "run-1");
    signal(host, "STOP", stopped);
    assertThat(two.service.post("/runs/run-1/cancel", "").status()).isEqualTo(202);
    assertThat(body(two, "/runs/run-1")).contains("\"status\":\"running\"");
    signal(host, "CONT", stopped);
    assertThat(Await.exitOf(stopped)).isEqualTo(1);
    assertSame("\"status\":\"cancelled\"", "\"host_id\":\"tower-03\"");

    Process killed = begin(host, "run-2");
    signal(host, "KILL", killed);
    assertThat(Await.exitOf(killed)).isEqualTo(KILLED);
    assertThat(two.service.post("/runs/run-2/cancel", "").status()).as("it was seen less than a minute ago")
        .isEqualTo(202);
    new DirectTables(url).change("UPDATE executors SET alive_until = 0 WHERE host_id = 'tower-03'");
    assertThat(two.service.post("/runs/run-2/cancel", "")).returns(409, Answer::status).satisfies(
        lost -> assertThat(lost.body()).contains("\"error\":\"run_finished\"", "\"detail\":\"run run-2 was "
            + "interrupted, because its executor on host tower-03 was lost, so there is nothing to cancel\""));
    assertThat(body(one, "/runs/run-2")).isEqualTo(body(two, "/runs/run-2")).contains("\"status\":\"interrupted\"");
    assertThat(new DirectTables(url).look("SELECT request_id FROM run_requests")).isEmpty();
    assertThat(host.tower("cancel", "run-2").err())
        .isEqualTo("tower: run run-2 was interrupted, because its executor on"
            + " host tower-03 was lost, so there is nothing to cancel\n  see how it ended: tower runs run-2\n");
  }

  private Process begin(Installation host, String id) throws IOException {
    Process process = host.start(List.of(host.launcher().toString(), "run", "hold", "-p", "lock=" + id, "--request-id",
        id), directory.resolve(id + ".out"), directory.resolve(id + ".err"));
    Await.until("the step runs", () -> Files.exists(host.home().resolve("begun-" + id)) || !process.isAlive());
    assertThat(process.isAlive()).as(TestHome.text(directory.resolve(id + ".err"))).isTrue();
    return process;
  }

  private static void signal(Installation host, String signal, Process process) {
    assertThat(host.run(List.of("kill", "-" + signal, Long.toString(process.pid()))).exit()).isZero();
  }
}

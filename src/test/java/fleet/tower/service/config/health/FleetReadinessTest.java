package fleet.tower.service.config.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.home.Home;
import fleet.tower.platform.sql.DedicatedServer;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Readiness of a fleet's service, with a PostgreSQL server that is really killed and replicated")
class FleetReadinessTest {
  /** A generous limit: the check must not hang, but a busy machine may stall a test for seconds. */
  private static final Duration NOT_FOR_EVER = Duration.ofSeconds(30);
  private static final String REPLICATION = "\"replication\":{\"status\":\"UP\"}";
  private static final String DEGRADED = "\"replication\":{\"details\":{\"problem\":\"asynchronous replication\"},\"status\":\"DEGRADED\"}";

  private final TimeSource time = SystemTime.source();
  private final Path temp;
  private final DedicatedServer server;
  private final TestService service;

  FleetReadinessTest(@TempDir Path temp) {
    this.temp = temp;
    this.server = DedicatedServer.begin(temp.resolve("primary"));
    this.service = new TestService(temp.resolve("home"), "--tower.database.url=" + server.url(),
        "--tower.queue.workers=1");
  }

  @AfterEach
  void close() {
    service.close();
    server.close();
  }

  private Answer ask(String group) {
    return service.send(service.request("/actuator/health" + group).build());
  }

  private void awaitReadiness(String replication, String status) {
    Await.asserted(replication, Await.LIMIT, () -> assertReadiness(ask("/readiness"), replication, status));
  }

  private static void assertReadiness(Answer answer, String replication, String status) {
    assertThat(answer.body())
        .isEqualTo(
            "{\"components\":{\"audit\":{\"status\":\"UP\"},\"database\":{\"status\":\"UP\"},\"heartbeats\":{\"details\":{\"failing\":0},\"status\":\"UP\"},"
                + "\"intents\":{\"status\":\"UP\"},\"lockDirectory\":{\"status\":\"UP\"},\"policy\":{\"status\":\"UP\"},\"readinessState\":{\"status\":\"UP\"},"
                + replication
                + ",\"store\":{\"details\":{\"locks\":\"database\"},\"status\":\"UP\"},\"tokens\":{\"status\":\"UP\"},\"workers\":{\"status\":\"UP\"}},\"status\":\""
                + status + "\"}");
    assertThat(answer.status()).isEqualTo(200);
  }

  @Test
  @DisplayName("Without its database a service becomes not ready within seconds and stays alive; it recovers "
      + "with the database")
  @ProofsProfile
  void databaseAway() {
    awaitReadiness(REPLICATION, "UP");
    assertThat(service.post("/locks/prod", "{\"request_id\":\"r1\",\"ttl_seconds\":600}").status()).isEqualTo(201);

    server.kill();
    long begun = time.nanos();
    Await.until("not ready", () -> ask("/readiness").status() == 503);
    assertThat(Duration.ofNanos(time.nanos() - begun)).isLessThan(NOT_FOR_EVER);
    Await.until("the reason is known", () -> ask("/readiness").body()
        .contains("\"database\":{\"details\":{\"problem\":\"database\"},\"status\":\"DOWN\"}"));
    assertThat(ask("/liveness").body()).isEqualTo("{\"status\":\"UP\"}");
    assertThat(service.post("/locks/other", "{\"request_id\":\"r2\"}").body()).contains("storage_unavailable");

    for (String path : List.of("/tasks", "/runs", "/mailboxes", "/audit", "/locks", "/freezes")) {
      Answer answer = service.get(path);
      assertThat(answer.status()).as(path).isEqualTo(503);
      assertThat(answer.body()).contains("\"error\":\"storage_unavailable\"", "the database cannot be reached")
          .doesNotContain("localhost", "127.0.0.1", "postgres");
    }

    server.start();
    Await.until("ready again", () -> ask("/readiness").status() == 200);
    assertThat(service.get("/locks/prod").body()).contains("\"request_id\":\"r1\"", "\"state\":\"active\"");
    assertThat(service.post("/locks/other", "{\"request_id\":\"r3\"}").status()).isEqualTo(201);
    assertThat(told("cannot be reached", "answers again")).hasSize(2);
    for (String part : List.of("lock directory", "database")) {
      assertThat(Reports.withoutTimeouts(told("not ready: the " + part + " does not answer", part + " works again"),
          "tower: the " + part + " works again")).isEmpty();
    }
    assertThat(told("not ready", "works again")).as("it is the same outage")
        .allMatch(line -> line.contains("does not answer") || line.contains("works again"));
  }

  @Test
  @DisplayName("An asynchronous standby makes health and doctor degraded, not unready; a synchronous one does not")
  @ProofsProfile
  void standby() {
    awaitReadiness(REPLICATION, "UP");
    assertThat(doctor()).contains("no standby follows this server");

    try (DedicatedServer standby = server.standby(temp.resolve("standby"))) {
      awaitReadiness(DEGRADED, "DEGRADED");
      Await.asserted("degraded", Await.LIMIT, () -> {
        Answer whole = ask("");
        assertThat(whole.body()).isEqualTo("{\"groups\":[\"liveness\",\"readiness\"],\"status\":\"DEGRADED\"}");
        assertThat(whole.status()).isEqualTo(200);
      });
      assertThat(doctor()).contains("degraded: asynchronous replication");

      server.awaitStandby();
      awaitReadiness(REPLICATION, "UP");
      assertThat(doctor()).contains("synchronous: a standby has every granted lock");
      assertThat(standby.url()).isNotEqualTo(server.url());
    }
    assertThat(told("degraded", "replication is")).containsExactly(
        "tower: warning: degraded: asynchronous replication; a standby that takes over may not have the last locks;"
            + " set synchronous_standby_names on the server, or accept the risk described in docs/fleet.md",
        "tower: replication is synchronous: every grant is on a standby");
  }

  private String doctor() {
    try (Home home = new Home(temp.resolve("home"), Map.of("TOWER_DATABASE_URL", server.url(),
        "TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {}, Home.Listener.NONE)) {
      return home.upkeep().doctor().examine().toString();
    }
  }

  private List<String> told(String one, String other) {
    return service.printed().stream().filter(line -> line.contains(one) || line.contains(other)).toList();
  }
}

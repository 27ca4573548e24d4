package fleet.tower.service.config.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.service.config.TestService;

/** All tests share one service: each begins and ends with a ready one. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@DisplayName("Readiness checks the resources of the service, liveness never does")
class ReadinessTest {
  /** A generous limit: the check must not hang, but a busy machine may stall a test for seconds. */
  private static final Duration NOT_FOR_EVER = Duration.ofSeconds(30);
  private static final String READY = """
      {"components":{"audit":{"status":"UP"},"database":{"status":"UP"},"heartbeats":{"details":{"failing":0},"status":"UP"},"intents":{"status":"UP"},"lockDirectory":{"status":"UP"},\
      "policy":{"status":"UP"},"readinessState":{"status":"UP"},"replication":{"status":"UP"},\
      "store":{"details":{"locks":"files"},"status":"UP"},"tokens":{"status":"UP"},"workers":{"status":"UP"}},"status":"UP"}""";

  private static final String WORKS_AGAIN = "tower: the lock directory works again";
  private static final List<String> FILES = List.of("tower.db", "tower.db-wal", "tower.db-shm");

  private final TimeSource time = SystemTime.source();
  private final Path home;
  private final Path locks;
  private final Path database;
  @AutoClose
  private final TestService service;
  private int toldBefore;

  ReadinessTest(@TempDir Path home) {
    this.home = home;
    this.locks = home.resolve("logs/locks");
    this.database = home.resolve("state/tower.db");
    service = new TestService(home, "--tower.queue.workers=1");
    assertThat(service.post("/locks/prod", "{\"request_id\":\"r1\",\"ttl_seconds\":600}").status()).isEqualTo(201);
    assertThat(service.post("/mailboxes/work/messages", "{\"body\":1}").status()).isEqualTo(201);
  }

  @BeforeEach
  void begin() {
    awaitReady();
    toldBefore = allTold().size();
  }

  private void awaitReady() {
    awaitReadiness(200, READY);
  }

  /** On a busy machine, an earlier answer may be that there was none in time. */
  private void awaitReadiness(int status, String body) {
    Await.asserted("readiness is " + status, Await.LIMIT, () -> {
      TestService.Answer answer = readiness();
      assertThat(answer.body()).isEqualTo(body);
      assertThat(answer.status()).isEqualTo(status);
    });
  }

  private TestService.Answer readiness() {
    return service.send(service.request("/actuator/health/readiness").build());
  }

  /**
   * The limit itself, which a kubelet relies on, is tested with manual time. On a busy machine, an earlier answer may
   * be that there was none in time.
   */
  private void awaitNotReady(String component, String problem) {
    String expected = READY.replace("\"" + component + "\":{\"status\":\"UP\"}",
        "\"" + component + "\":{\"details\":{\"problem\":\"" + problem + "\"},\"status\":\"DOWN\"}")
        .replace("}},\"status\":\"UP\"}", "}},\"status\":\"DOWN\"}");
    Await.until("not ready because of " + problem, () -> {
      long begun = time.nanos();
      TestService.Answer answer = readiness();
      assertThat(Duration.ofNanos(time.nanos() - begun)).isLessThan(NOT_FOR_EVER);
      return answer.status() == 503 && answer.body().equals(expected);
    });
    assertAlive();
  }

  private void assertAlive() {
    TestService.Answer liveness = service.send(service.request("/actuator/health/liveness").build());
    assertThat(liveness.status()).isEqualTo(200);
    assertThat(liveness.body()).isEqualTo("{\"status\":\"UP\"}");
  }

  /** The lines about readiness since the beginning of the test. */
  private List<String> told() {
    List<String> all = allTold();
    return all.subList(toldBefore, all.size());
  }

  private List<String> allTold() {
    return service.printed().stream().map(line -> line.replace(home.toString(), "HOME"))
        .filter(line -> line.contains("not ready") || line.contains("works again")).toList();
  }

  @Test
  @DisplayName("A missing lock directory makes it not ready, and is logged once; it recovers with the directory")
  void directoryGone() throws IOException {
    Files.move(locks, home.resolve("moved"));
    awaitNotReady("lockDirectory", "lock directory writing");
    Files.move(home.resolve("moved"), locks);
    awaitReady();

    assertThat(Reports.withoutTimeouts(told(), WORKS_AGAIN)).containsExactly(
        "tower: warning: not ready: HOME/logs/locks has disappeared; mount it again, or stop the processes that hold its locks",
        WORKS_AGAIN);
  }

  @Test
  @DisplayName("A lock directory without write access makes it not ready")
  void directoryUnwritable() throws IOException {
    Path inTheWay = Files.createDirectory(locks.resolve(".probe-" + ProcessHandle.current().pid()));
    Path inside = Files.createFile(inTheWay.resolve("inside"));
    awaitNotReady("lockDirectory", "lock directory writing");
    Files.delete(inside);
    Files.delete(inTheWay);
    awaitReady();
    assertThat(locks.toFile().list()).noneMatch(file -> file.startsWith(".probe"));
  }

  @Test
  @DisplayName("A blocked lock directory makes it not ready, within two seconds")
  void directoryStalled() throws Exception {
    Path pipe = locks.resolve(".probe-" + ProcessHandle.current().pid());
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    awaitNotReady("lockDirectory", "no answer in time");
    Files.readAllBytes(pipe);
    awaitReady();
    String blocked = "tower: warning: not ready: the lock directory does not answer; check its disk or server";
    assertThat(told()).startsWith(blocked, WORKS_AGAIN);
    assertThat(String.join("\n", told())).as("once for each time").doesNotContain(blocked + "\n" + blocked);
  }

  @Test
  // The number of lost events stays in the answers.
  @Order(Integer.MAX_VALUE)
  @DisplayName("TF-A25 an unwritable audit log makes it not ready and counts lost events; runs and locks continue")
  void auditUnwritable() throws IOException {
    TestService.declare(home, "good", """
        mode: mutate
        steps:
          - { name: one, run: [echo, one] }
        """);
    Path day = theDay();
    double written = metric("tower_audit_events_total{event=\"lock_acquired\"}");
    Path aside = Files.move(day, home.resolve("day"));
    Files.createDirectory(day);

    assertThat(service.post("/locks/second", "{\"request_id\":\"r2\"}").status()).isEqualTo(201);
    assertThat(service.post("/intents/good", "{}").body()).contains("\"status\":\"succeeded\"");
    awaitReadiness(503, READY.replace("\"audit\":{\"status\":\"UP\"}",
        "\"audit\":{\"details\":{\"problem\":\"audit log\",\"lost_events\":4},\"status\":\"DOWN\"}")
        .replace("}},\"status\":\"UP\"}", "}},\"status\":\"DOWN\"}"));
    assertAlive();
    assertThat(metric("tower_audit_events_lost_total")).isEqualTo(4);
    assertThat(metric("tower_audit_events_total{event=\"lock_acquired\"}")).isEqualTo(written);

    Files.delete(day);
    Files.move(aside, day);
    awaitReadiness(200, READY.replace("\"audit\":{\"status\":\"UP\"}",
        "\"audit\":{\"details\":{\"lost_events\":4},\"status\":\"UP\"}"));
    assertThat(Files.readAllLines(day)).last().asString().contains("\"event\":\"audit_events_lost\"")
        .endsWith("\"lost\":4}");
  }

  private Path theDay() throws IOException {
    try (Stream<Path> files = Files.list(home.resolve("logs/audit"))) {
      return files.filter(file -> file.getFileName().toString().startsWith("audit-")).findFirst().orElseThrow();
    }
  }

  private double metric(String sample) {
    return service.get("/actuator/prometheus").body().lines().filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).findFirst().orElseThrow();
  }

  @Test
  @DisplayName("A corrupt database makes it not ready")
  void databaseGarbage() throws IOException {
    Path aside = Files.createDirectory(home.resolve("aside"));
    for (String file : FILES) {
      Files.move(database.resolveSibling(file), aside.resolve(file));
    }
    Files.writeString(database, "this is no database, whatever it is called, and it is long enough to be looked at");
    awaitNotReady("database", "database");
    for (String file : FILES) {
      Files.move(aside.resolve(file), database.resolveSibling(file), StandardCopyOption.REPLACE_EXISTING);
    }
    awaitReady();
  }

  @Test
  @DisplayName("A database locked by another process makes it not ready, within two seconds")
  void databaseLocked() throws SQLException {
    try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + database);
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN IMMEDIATE");
      awaitNotReady("database", "database writing");
      statement.execute("ROLLBACK");
    }
    awaitReady();
  }

  @Test
  @DisplayName("A policy that is wrong degrades it, and is named with line and column; what has begun goes on")
  void policyWrong() throws IOException {
    Path policy = Files.writeString(home.resolve("config/policy.yaml"), "mode: perhaps\n");
    String problem = "config/policy.yaml:1:7: must be one of enforce, observe, not 'perhaps'";
    awaitReadiness(200, READY.replace("\"policy\":{\"status\":\"UP\"",
        "\"policy\":{\"details\":{\"problem\":\"" + problem + "\"},\"status\":\"DEGRADED\"")
        .replace("}},\"status\":\"UP\"}", "}},\"status\":\"DEGRADED\"}"));
    assertThat(service.post("/locks/third", "{}").body()).contains("\"error\":\"halted\"", problem);
    assertThat(service.post("/locks/prod/heartbeat", "{\"request_id\":\"r1\"}").status()).isEqualTo(200);
    assertThat(service.printed()).contains("tower: warning: degraded: nothing new begins: " + home + "/" + problem);

    Files.delete(policy);
    awaitReady();
    assertThat(service.printed()).contains("tower: the policy is valid again");
  }

  @Test
  @DisplayName("Health needs no token, and shows no details")
  void whole() {
    Await.asserted("healthy", Await.LIMIT, () -> {
      TestService.Answer whole = service.send(service.request("/actuator/health").build());
      assertThat(whole.body()).isEqualTo("{\"groups\":[\"liveness\",\"readiness\"],\"status\":\"UP\"}");
      assertThat(whole.status()).isEqualTo(200);
    });
  }
}

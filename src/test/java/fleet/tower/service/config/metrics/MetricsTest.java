package fleet.tower.service.config.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.audit.AuditEvent;
import fleet.tower.audit.EventNames;
import fleet.tower.harness.Await;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Metrics of the running service")
class MetricsTest {
  private final TestService shared;
  private Path home;
  private TestService service;

  MetricsTest(@TempDir Path home) {
    this.home = home;
    shared = start(home);
    service = shared;
  }

  private static TestService start(Path home) {
    TestService.declare(home, "good", """
        mode: mutate
        controls: { lock: good }
        steps:
          - { name: one, run: [echo, one] }
          - { name: two, run: [echo, two] }
        """);
    TestService.declare(home, "bad", """
        mode: mutate
        controls: { lock: bad }
        steps:
          - { name: one, run: [echo, one], rollback: [echo, undone] }
          - { name: two, run: ["false"] }
        """);
    TestService.declare(home, "stuck", """
        mode: mutate
        controls: { lock: stuck, heartbeat: progress }
        timeouts: { lock_ttl: 3 }
        steps:
          - { name: one, script: 'until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done' }
        """);
    return new TestService(home);
  }

  /** A service that has counted nothing yet. */
  private void useFresh(Path own) {
    home = own;
    service = start(own);
  }

  @AfterEach
  void useShared() {
    if (service != shared) {
      service.close();
      home = shared.home();
      service = shared;
    }
  }

  @AfterAll
  void stop() {
    shared.close();
  }

  private Scrape scrape() {
    return Scrape.of(service);
  }

  @Test
  @DisplayName("At the start every counter with known labels exists, at 0")
  void atRest(@TempDir Path own) {
    useFresh(own);
    Scrape scrape = scrape();

    assertThat(scrape.samples().keySet()).contains("tower_locks_held", "tower_locks_stale", "tower_lock_waiters",
        "tower_lock_wait_seconds_count", "tower_lock_held_seconds_count",
        "tower_lock_acquisitions_total{outcome=\"acquired\"}",
        "tower_lock_acquisitions_total{outcome=\"lock_blocked\"}",
        "tower_lock_heartbeat_failures_total", "tower_lock_heartbeat_lag_seconds", "tower_runs_active",
        "tower_database_up", "tower_database_connections_used", "tower_database_connections_waiting",
        "tower_intents_differing", "tower_approvals_open",
        "tower_step_duration_seconds_count", "tower_rollbacks_total{result=\"failure\"}",
        "tower_idempotency_replays_total", "tower_audit_events_total{event=\"lock_lost\"}");
    assertThat(scrape.samples().entrySet()).filteredOn(sample -> sample.getKey().startsWith("tower_")
        && !sample.getKey().equals("tower_database_up"))
        .allMatch(sample -> sample.getValue() == 0);
  }

  @Test
  @DisplayName("Every metric of ours has a help text")
  void help() {
    List<String> texts = service.get("/actuator/prometheus").body().lines()
        .filter(line -> line.startsWith("# HELP tower_"))
        .toList();

    assertThat(texts).anyMatch(line -> line.startsWith("# HELP tower_rollbacks_total Rollbacks of runs"));
    assertThat(texts).allMatch(line -> line.matches("# HELP \\w+ \\w.*"));
  }

  @Test
  @DisplayName("A caller without a token gets nothing")
  void needsToken() {
    TestService.Answer answer = service.send(service.request("/actuator/prometheus").build());

    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.body()).doesNotContain("tower_");
  }

  @Test
  @DisplayName("Locks acquired, rejected, stolen, waited for and released are counted, each once")
  void locks(@TempDir Path own) throws Exception {
    useFresh(own);
    service.foreignLock("old", SystemTime.source().now().minusSeconds(600), 60);
    assertThat(service.post("/locks/a", "{\"request_id\":\"a1\"}").status()).isEqualTo(201);
    assertThat(service.post("/locks/a", "{\"request_id\":\"a1\"}").status()).isEqualTo(200);
    assertThat(service.post("/locks/a", "{\"request_id\":\"a2\"}").status()).isEqualTo(409);
    assertThat(service.post("/locks/old", "{\"request_id\":\"o1\"}").status()).isEqualTo(409);
    Await.until("seen as stale", () -> scrape().value("tower_locks_stale") == 1);
    assertThat(service.post("/locks/old", "{\"request_id\":\"o1\",\"force_lock\":true}").status()).isEqualTo(201);
    CompletableFuture<TestService.Answer> waiting = service.later("/locks/a",
        "{\"request_id\":\"a3\",\"wait_seconds\":60}");
    Await.until("there is a waiter", () -> scrape().value("tower_lock_waiters") == 1);
    assertThat(service.call("DELETE", "/locks/a?request_id=a1", "").status()).isEqualTo(200);
    assertThat(waiting.get().status()).isEqualTo(201);
    assertThat(service.post("/locks/a", "{\"request_id\":\"a4\",\"wait_seconds\":1}").status()).isEqualTo(409);
    Await.until("both held, no waiter",
        () -> scrape().value("tower_locks_held") == 2 && scrape().value("tower_lock_waiters") == 0);

    Scrape scrape = scrape();
    assertThat(scrape.of("tower_lock_acquisitions_total")).containsExactlyInAnyOrderEntriesOf(Map.of(
        "{outcome=\"acquired\"}", 2.0, "{outcome=\"kept\"}", 1.0, "{outcome=\"lock_blocked\"}", 1.0,
        "{outcome=\"lock_stale\"}", 1.0, "{outcome=\"stolen\"}", 1.0, "{outcome=\"lock_wait_timeout\"}", 1.0));
    assertThat(scrape.value("tower_locks_stale")).isZero();
    assertThat(scrape.value("tower_lock_wait_seconds_count")).isEqualTo(2);
    assertThat(scrape.value("tower_lock_wait_seconds_sum")).isBetween(1.0, 60.0);
    assertThat(scrape.value("tower_lock_held_seconds_count")).isEqualTo(1);
    assertThat(scrape.value("tower_lock_held_seconds_sum")).isEqualTo(heldSeconds());
    assertEventsAreThoseOfTheLog(scrape);
  }

  private double heldSeconds() throws Exception {
    return audit().stream().filter(line -> text(line, "event").equals("lock_released"))
        .mapToLong(line -> line.integer("held_duration_seconds").orElseThrow()).sum();
  }

  @Test
  @DisplayName("The three mailboxes with most messages, and those with most bytes, are named")
  void largestMailboxes() {
    for (String mailbox : List.of("few", "many", "many", "many", "more", "more")) {
      service.post("/mailboxes/" + mailbox + "/messages", "{\"body\":1}");
    }
    service.post("/mailboxes/long/messages", "{\"body\":\"" + "x".repeat(100) + "\"}");

    assertThat(scrape().of("tower_mailbox_messages_largest")).isEqualTo(
        Map.of("{mailbox=\"many\"}", 3.0, "{mailbox=\"more\"}", 2.0, "{mailbox=\"few\"}", 1.0));
    assertThat(scrape().of("tower_mailbox_bytes_largest")).isEqualTo(
        Map.of("{mailbox=\"long\"}", 102.0, "{mailbox=\"many\"}", 3.0, "{mailbox=\"more\"}", 2.0));
  }

  @Test
  @DisplayName("Runs, steps, rollbacks and replays are counted, each once, and their durations match their records")
  void runs(@TempDir Path own) throws Exception {
    useFresh(own);
    String first = service.post("/intents/good", "{\"request_id\":\"g1\"}").body();
    assertThat(service.post("/intents/good", "{\"request_id\":\"g1\"}").header("Idempotency-Replayed"))
        .isEqualTo("true");
    String second = service.post("/intents/bad", "{\"request_id\":\"b1\"}").body();
    assertThat(service.post("/intents/nowhere", "{}").status()).isEqualTo(404);
    Await.until("both are over", () -> scrape().value("tower_runs_active") == 0);

    Scrape scrape = scrape();
    assertThat(scrape.of("tower_run_duration_seconds_count")).containsExactlyInAnyOrderEntriesOf(Map.of(
        "{intent=\"good\",mode=\"mutate\",result=\"success\"}", 1.0,
        "{intent=\"bad\",mode=\"mutate\",result=\"failure\"}", 1.0));
    assertThat(scrape.value("tower_step_duration_seconds_count")).isEqualTo(5);
    double millis = (double) durations(first, "steps") + durations(second, "steps") + durations(second, "rollback");
    assertThat(scrape.value("tower_step_duration_seconds_sum") * 1000).isEqualTo(millis, within(0.01));
    assertThat(scrape.of("tower_rollbacks_total")).isEqualTo(Map.of("{result=\"success\"}", 1.0));
    assertThat(scrape.of("tower_idempotency_replays_total")).isEqualTo(Map.of("", 1.0));
    assertThat(scrape.of("tower_lock_acquisitions_total")).isEqualTo(Map.of("{outcome=\"acquired\"}", 2.0));
    assertEventsAreThoseOfTheLog(scrape);
  }

  private static long durations(String run, String part) throws Exception {
    if (!(JsonReader.readObject(run).get(part) instanceof JsonValue.Items items)) {
      throw new AssertionError(run);
    }
    return items.values().stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast)
        .mapToLong(step -> step.integer("duration_ms").orElse(0)).sum();
  }

  @Test
  @DisplayName("A stuck run is active, its heartbeats fail, and it is logged once")
  void heartbeats() throws IOException {
    CompletableFuture<TestService.Answer> run = service.later("/intents/stuck", "{\"request_id\":\"s1\"}");
    Await.until("its heartbeats fail", () -> scrape().value("tower_lock_heartbeat_failures_total") >= 3);
    assertThat(scrape().value("tower_runs_active")).isEqualTo(1);
    Await.until("it is logged",
        () -> scrape().value("tower_audit_events_total{event=\"heartbeat_failed\"}") == 1);
    Files.createFile(home.resolve("go"));
    assertThat(run.join().status()).isEqualTo(200);
    Await.until("it is over", () -> scrape().value("tower_runs_active") == 0);

    assertThat(scrape().value("tower_lock_heartbeat_lag_seconds")).isLessThan(60);
  }

  @Test
  @DisplayName("An unreadable lock directory makes the lock counts unknown, and does not slow the scrape")
  void unreadableDirectory(@TempDir Path own) throws IOException {
    useFresh(own);
    Files.createDirectories(home.resolve("logs"));
    Files.writeString(home.resolve("logs/locks"), "in the way");
    assertThat(service.post("/locks/a", "{\"request_id\":\"a1\"}").status()).isEqualTo(503);

    Scrape scrape = scrape();
    assertThat(scrape.value("tower_locks_held")).isNaN();
    assertThat(scrape.of("tower_lock_acquisitions_total")).isEqualTo(Map.of("{outcome=\"storage_unavailable\"}", 1.0));
  }

  @Test
  @DisplayName("Every event name is counted from the start")
  void eventNames() {
    List<String> leaves = leaves(AuditEvent.class).map(type -> type.getSimpleName()
        .replaceAll("(?<!^)([A-Z])", "_$1").toLowerCase(java.util.Locale.ROOT)).toList();

    assertThat(leaves).containsExactlyInAnyOrderElementsOf(EventNames.ALL);
  }

  private static java.util.stream.Stream<Class<?>> leaves(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(MetricsTest::leaves)
        : java.util.stream.Stream.of(type);
  }

  private void assertEventsAreThoseOfTheLog(Scrape scrape) throws Exception {
    Map<String, Double> inTheLog = new java.util.HashMap<>();
    audit().forEach(line -> inTheLog.merge("{event=\"" + text(line, "event") + "\"}", 1.0, Double::sum));
    assertThat(inTheLog).isNotEmpty();
    assertThat(scrape.of("tower_audit_events_total")).isEqualTo(inTheLog);
  }

  private List<JsonObject> audit() throws Exception {
    List<JsonObject> lines = new java.util.ArrayList<>();
    try (var files = Files.list(home.resolve("logs/audit"))) {
      for (Path file : files.toList()) {
        for (String line : Files.readAllLines(file)) {
          lines.add(JsonReader.readObject(line));
        }
      }
    }
    return lines;
  }

  private static String text(JsonObject line, String member) {
    return line.text(member).orElse("");
  }
}

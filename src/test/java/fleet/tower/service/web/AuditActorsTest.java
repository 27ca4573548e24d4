package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The audit log shows who did what over HTTP, for whom, and through which interface")
class AuditActorsTest {
  private static final String BY = "\"actor\":\"operator\",";
  private final Path home;
  @AutoClose
  private final TestService service;
  /** The number of lines when the test began. */
  private int before;

  AuditActorsTest(@TempDir Path home) {
    this.home = home;
    service = new TestService(home, "--tower.audit.renewals=true");
  }

  @BeforeEach
  void begin() throws IOException {
    service.settle();
    before += lines().size();
  }

  private void call(String method, String path, String body, String... headers) {
    List<String> all = new ArrayList<>(List.of("Content-Type", "application/json"));
    all.addAll(List.of(headers));
    TestService.Answer answer = service.call(method, path, body, all.toArray(String[]::new));
    assertThat(answer.status()).as(answer.body()).isIn(200, 201, 202, 409);
  }

  private List<String> lines() throws IOException {
    Path audit = home.resolve("logs/audit");
    if (Files.notExists(audit)) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    try (Stream<Path> files = Files.list(audit)) {
      for (Path file : files.filter(it -> it.toString().endsWith(".jsonl")).sorted().toList()) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    return lines.subList(before, lines.size());
  }

  /** The actors of the events of a name, from the member {@code of} or {@code actor} on. */
  private List<String> causes(String event) throws IOException {
    return lines().stream().filter(line -> line.startsWith("{\"event\":\"" + event + "\""))
        .map(line -> line.replaceAll(".*?(\"of\":.*|\"actor\":.*)}", "$1").replaceAll("\"pid\":\\d+", "\"pid\":1")
            .replaceAll("\"host_id\":\"[^\"]+\"", "\"host_id\":\"h\""))
        .toList();
  }

  @Test
  @DisplayName("A lock: acquired, renewed, stolen, released, removed and frozen")
  void locks() throws IOException {
    String holder = "\"intent\":\"deploy\",\"host_id\":\"h\",\"pid\":1";
    call("POST", "/locks/prod", "{\"request_id\":\"r1\",\"intent\":\"deploy\"}", "X-Actor", "carol", "X-Door",
        "console");
    call("POST", "/locks/prod/heartbeat", "{\"request_id\":\"r1\"}", "X-Door", "cli");
    call("POST", "/locks/prod", "{\"request_id\":\"r2\"}", "X-Actor", "dave");
    service.call("DELETE", "/locks/prod?request_id=r1", "");

    assertThat(causes("lock_actor")).containsExactly(
        "\"of\":\"lock_acquired\"," + BY + "\"on_behalf_of\":\"carol\",\"door\":\"console\"," + holder,
        "\"of\":\"lock_released\"," + BY + "\"door\":\"http\"," + holder);
    assertThat(causes("lock_renewed")).as("any word other than console is ignored")
        .containsExactly(BY + "\"door\":\"http\"," + holder);
    assertThat(causes("lock_blocked")).singleElement().asString()
        .endsWith(BY + "\"on_behalf_of\":\"dave\",\"door\":\"http\",\"intent\":\"manual\",\"host_id\":\"h\",\"pid\":1");

    service.post("/locks/prod", "{\"request_id\":\"r3\"}");
    call("POST", "/locks/prod/force-release", "{\"reason\":\"test\"}", "X-Door", "console");
    call("PUT", "/freezes/prod", "{\"reason\":\"test\",\"ttl_seconds\":60}", "X-Door", "console");
    assertThat(causes("lock_force_released")).singleElement().asString().endsWith(BY + "\"door\":\"console\"");
    assertThat(causes("lock_frozen")).singleElement().asString().endsWith(BY + "\"door\":\"console\"");
  }

  @Test
  @DisplayName("A run: its steps, queued or not, and its lock's events have the origin and the actor of the request")
  void runs() throws IOException {
    TestService.declare(home, "deploy", """
        mode: mutate
        controls: { lock: prod }
        steps:
          - { name: one, run: [echo, one] }
        """);
    call("POST", "/intents/deploy", "{\"request_id\":\"a1\"}", "X-Door", "console", "X-Actor", "carol");
    call("POST", "/intents/deploy", "{\"request_id\":\"a2\",\"queue\":true}", "X-Door", "console");
    Await.until("both have ended",
        () -> Stream.of("a1", "a2").allMatch(
            id -> service.get("/audit?event=run_finished&request_id=" + id).body().contains("run_finished")));

    String by = BY + "\"on_behalf_of\":\"carol\",\"door\":\"console\",";
    String where = "\"host_id\":\"h\",\"pid\":1";
    assertThat(causes("lock_actor")).startsWith(
        "\"of\":\"lock_acquired\"," + by + "\"intent\":\"deploy\"," + where,
        "\"of\":\"lock_released\"," + by + "\"intent\":\"deploy\"," + where).hasSize(4)
        .allSatisfy(line -> assertThat(line).contains("\"door\":\"console\""));
    for (String event : new String[]{"run_started", "run_finished"}) {
      assertThat(causes(event)).containsExactly(by + where, BY + "\"door\":\"console\"," + where);
    }
    assertThat(causes("run_queued")).containsExactly(BY + "\"door\":\"console\"," + where);
  }

  @Test
  @DisplayName("The reason of a request is in the events of its lock and its run, also of a queued one, and in no "
      + "other")
  void reasons() throws IOException {
    TestService.declare(home, "deploy", """
        mode: mutate
        controls: { lock: prod }
        steps:
          - { name: one, run: [echo, one] }
        """);
    service.foreignLock("prod", Instant.EPOCH, 60);
    call("POST", "/locks/prod", "{\"request_id\":\"r1\",\"force_lock\":true,\"reason\":\"INC-7: its host burned\"}");
    call("POST", "/locks/prod", "{\"request_id\":\"r0\",\"reason\":\"refused\"}");
    service.call("DELETE", "/locks/prod?request_id=r1", "");
    String because = ",\"host_id\":\"h\",\"pid\":1,\"reason\":\"INC-7: its host burned\"";
    assertThat(causes("lock_actor")).containsExactly(
        "\"of\":\"lock_stolen\"," + BY + "\"door\":\"http\",\"intent\":\"manual\"" + because,
        "\"of\":\"lock_acquired\"," + BY + "\"door\":\"http\",\"intent\":\"manual\"" + because,
        "\"of\":\"lock_released\"," + BY + "\"door\":\"http\",\"intent\":\"manual\",\"host_id\":\"h\",\"pid\":1");
    assertThat(lines()).filteredOn(line -> line.contains("lock_stolen\",\"request_id")).singleElement().asString()
        .endsWith("\"reason\":\"stale_lock_forced\"}");

    call("POST", "/intents/deploy", "{\"request_id\":\"d1\",\"reason\":\"INC-8\"}");
    call("POST", "/intents/deploy", "{\"request_id\":\"d1\",\"reason\":\"another\"}");
    call("POST", "/intents/deploy", "{\"request_id\":\"d2\",\"reason\":\"INC-9\",\"queue\":true}");
    for (String id : List.of("d1", "d2")) {
      String reason = "\"reason\":\"INC-" + (id.equals("d1") ? 8 : 9) + "\"}";
      assertThat(lines()).filteredOn(line -> line.contains("\"request_id\":\"" + id + "\"") && line.contains("INC-"))
          .hasSize(2).allSatisfy(line -> assertThat(line).endsWith(reason))
          .satisfiesExactly(line -> assertThat(line).contains("\"of\":\"lock_acquired\""),
              line -> assertThat(line).contains("\"run_started\""));
    }
    for (String bad : List.of("", " \\n", "x".repeat(1001))) {
      for (String path : List.of("/locks/other", "/intents/deploy", "/intents/deploy/plan")) {
        TestService.Answer refused = service.post(path, "{\"request_id\":\"bad\",\"reason\":\"" + bad + "\"}");
        assertThat(refused.status()).as(refused.body()).isEqualTo(400);
        assertThat(refused.body()).contains(
            "'reason' must be a string of 1 to 1000 characters that is not blank");
      }
    }
    assertThat(lines()).noneMatch(line -> line.contains("\"bad\"") || line.contains("another"));
  }

  @Test
  @DisplayName("Every audited action of the console is audited with its door: a cancel too, whose run keeps its own")
  void console() throws IOException {
    TestService.declare(home, "hold", """
        mode: mutate
        controls: { lock: hold }
        steps:
          - { name: one, script: 'touch "$TOWER_HOME/begun"; sleep 300' }
        """);
    String[] door = {"X-Door", "console"};
    service.foreignLock("prod", Instant.EPOCH, 60);
    call("POST", "/locks/prod", "{\"request_id\":\"r1\",\"force_lock\":true,\"reason\":\"gone\"}", door);
    call("POST", "/locks/prod/heartbeat", "{\"request_id\":\"r1\"}", door);
    call("POST", "/locks/prod", "{\"request_id\":\"r2\"}", door);
    call("POST", "/locks/prod/force-release", "{\"reason\":\"test\"}", door);
    call("PUT", "/freezes/prod", "{\"reason\":\"test\",\"ttl_seconds\":60}", door);
    service.call("DELETE", "/freezes/prod", "", door);
    call("POST", "/intents/hold", "{\"request_id\":\"h1\",\"queue\":true}", "X-Door", "console", "Prefer",
        "respond-async");
    Await.until("it runs", () -> Files.exists(home.resolve("begun")));
    call("POST", "/runs/h1/cancel", "{}", door);
    awaitCancelled("h1");
    for (String task : List.of("a", "b")) {
      call("POST", "/tasks", "{\"agent\":\"ann\",\"request_id\":\"t-" + task + "\",\"title\":\"x\"}", door);
    }
    call("POST", "/tasks/claim", "{\"agent\":\"ann\",\"request_id\":\"t2\"}", door);
    call("POST", "/mailboxes/work/messages", "{\"body\":1}", door);
    service.call("DELETE", "/mailboxes/work/messages", "", door);

    List<String> events = lines().stream().filter(line -> line.contains("\"actor\":\"operator\",\"door\""))
        .map(line -> line.replaceAll("^\\{\"event\":\"([a-z_]+)\".*", "$1")).distinct().toList();
    assertThat(events).contains("lock_actor", "lock_renewed", "lock_blocked", "lock_force_released", "lock_frozen",
        "lock_unfrozen", "run_queued", "run_started", "run_cancel_requested", "run_finished", "task_claimed",
        "mailbox_purged");
    assertThat(lines()).filteredOn(line -> line.contains("\"door\":"))
        .allSatisfy(line -> assertThat(line).contains("\"door\":\"console\""));

    Files.delete(home.resolve("begun"));
    call("POST", "/intents/hold", "{\"request_id\":\"h2\"}", "Prefer", "respond-async", "X-Actor", "dave");
    Await.until("it runs", () -> Files.exists(home.resolve("begun")));
    call("POST", "/runs/h2/cancel", "{}", "X-Door", "console", "X-Actor", "carol");
    awaitCancelled("h2");
    assertThat(lines()).filteredOn(line -> line.contains("run_cancel_requested") && line.contains("h2")).singleElement()
        .asString().endsWith("\"intent\":\"hold\",\"lock_name\":\"hold\"," + BY
            + "\"on_behalf_of\":\"carol\",\"door\":\"console\"}");
    assertThat(lines()).filteredOn(line -> line.contains("run_finished") && line.contains("h2")).singleElement()
        .asString().contains("\"on_behalf_of\":\"dave\",\"door\":\"http\"");
    call("POST", "/runs/h2/cancel", "{}", door);
    assertThat(causes("run_cancel_requested")).as("a finished run is not cancelled").hasSize(2);
  }

  /** Waits for the event too, which is in the log a moment before the run is reported as ended. */
  private void awaitCancelled(String id) {
    Await.until("it has ended", () -> service.get("/audit?event=run_finished&request_id=" + id).body()
        .contains("\"status\":\"cancelled\""));
    Await.until("it is reported as ended", () -> service.get("/runs/" + id).body()
        .contains("\"status\":\"cancelled\""));
  }

  @Test
  @DisplayName("Tasks, mailboxes and rejections")
  void others() throws IOException {
    call("POST", "/tasks", "{\"agent\":\"ann\",\"request_id\":\"o1\",\"title\":\"x\"}", "X-Door", "console");
    call("POST", "/tasks/claim", "{\"agent\":\"ann\",\"request_id\":\"o2\"}", "X-Door", "console");
    service.post("/mailboxes/work/messages", "{\"body\":1}");
    service.call("DELETE", "/mailboxes/work/messages", "", "X-Door", "console");
    service.callAs("wrong", "GET", "/locks", "");

    assertThat(causes("task_claimed")).containsExactly(BY + "\"door\":\"console\"");
    assertThat(causes("mailbox_purged")).containsExactly(BY + "\"door\":\"console\"");
    assertThat(causes("access_denied")).as("an unknown actor")
        .singleElement().asString().doesNotContain("actor", "door");
  }
}

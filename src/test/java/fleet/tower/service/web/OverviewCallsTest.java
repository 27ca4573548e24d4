package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.call.overview.OverviewFollower;
import fleet.tower.service.call.overview.OverviewReducer;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.access.TestTokens;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The overview over HTTP")
class OverviewCallsTest {
  private static final int OPERATIONS = Extent.of(60, 300, 300);
  private static final String TOKENS = TestTokens.entry("bob", "agent", "") + TestTokens.entry("eve", "viewer", "");

  private final Path home;
  @AutoClose
  private final TestRunService bench;
  private final TestService service;

  OverviewCallsTest(@TempDir Path home) {
    this.home = home;
    TestTokens.write(home, TOKENS + TestTokens.entry("ivy", "viewer", ""));
    bench = new TestRunService(home);
    service = bench.service;
  }

  /** No test leaves what others would see change. */
  @AfterEach
  void clean() {
    service.settle();
  }

  private Map<String, Map<String, JsonNode>> fresh() {
    return fresh(service);
  }

  private static Map<String, Map<String, JsonNode>> fresh(TestService asked) {
    Answer answer = asked.get("/overview");
    assertThat(answer.status()).isEqualTo(200);
    return OverviewReducer.sections(JsonMapper.shared().readTree(answer.body()));
  }

  private static String row(Map<String, Map<String, JsonNode>> sections, String section, String key) {
    return stable(String.valueOf(sections.getOrDefault(section, Map.of()).get(key)));
  }

  private static String stable(String json) {
    return new Answer(200, Map.of(), json).stable();
  }

  private void async(String intent, String params, String id) {
    assertThat(service.call("POST", "/intents/" + intent,
        "{\"params\":{" + params + "},\"request_id\":\"" + id + "\",\"wait_seconds\":300}", "Content-Type",
        "application/json", "Prefer", "respond-async").status()).isEqualTo(202);
  }

  private void freeze(String name, int seconds) {
    freeze(service, name, seconds);
  }

  private static void freeze(TestService asked, String name, int seconds) {
    assertThat(asked.call("PUT", "/freezes/" + name, "{\"reason\":\"audit\",\"ttl_seconds\":" + seconds + "}",
        "Content-Type", "application/json").status()).isEqualTo(201);
  }

  @Test
  @DisplayName("A snapshot has every section, with rows by their keys, also for a viewer")
  void snapshot() throws Exception {
    CompletableFuture<Answer> running = bench.begin("prod", "run-1");
    async("short", "\"lock\":\"prod\"", "run-2");
    Await.until("the second waits", () -> row(fresh(), "runs", "run-2").contains("\"position\":1"));
    async("short", "\"lock\":\"prod\"", "run-3");
    service.callAs(TestTokens.tokenOf("bob"), "POST", "/locks/held", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");
    freeze("frozen", 60);
    service.rawLock("broken", "{");
    service.foreignLock("old", SystemTime.source().now().minusSeconds(3600), 60);
    service.post("/tasks", "{\"agent\":\"ann\",\"request_id\":\"t1\",\"id\":\"task-1\",\"title\":\"Do it\","
        + "\"description\":\"long\",\"intent\":\"say\",\"params\":{\"text\":\"x\"}}");
    service.post("/mailboxes/jobs/messages", "{\"body\":{\"n\":1}}");
    Await.until("both wait", () -> row(fresh(), "runs", "run-3").contains("\"position\":2"));

    Answer seen = service.callAs(TestTokens.tokenOf("eve"), "GET", "/overview", "");
    assertThat(seen.status()).isEqualTo(200);
    JsonNode all = JsonMapper.shared().readTree(seen.body());
    assertThat(all.propertyNames()).containsExactly("as_of", "host_id", "version", "locks", "freezes", "halts",
        "runs", "interrupted", "hosts", "tasks", "mailboxes", "intents");
    // Another host of a fleet may show the last changes a moment later.
    Await.asserted("every row", Await.LIMIT, this::everyRow);
    bench.letGo("prod");
    assertThat(running.get().status()).isEqualTo(200);
  }

  private void everyRow() {
    Map<String, Map<String, JsonNode>> sections = fresh();
    assertThat(row(sections, "runs", "run-1")).matches("""
        \\{"request_id":"run-1","intent":"wait","actor":"operator","status":"running","host_id":"tower-01",\
        "created_at":"TIME","lock_name":"prod",\
        "step":\\{"name":"work","index":1,"count":1,"started_at":"TIME"}(,"last_heartbeat_at":"TIME")?}""");
    String waiting = """
        "intent":"short","actor":"operator","status":"waiting","host_id":"tower-01","created_at":"TIME",\
        "lock_name":"prod","waiting":{"lock_name":"prod","position":%s,\
        "held_by":{"request_id":"run-1","actor":"operator","intent":"wait"}}}""";
    assertThat(row(sections, "runs", "run-2"))
        .isEqualTo("{\"request_id\":\"run-2\"," + waiting.formatted("1,\"ahead\":[]"));
    assertThat(row(sections, "runs", "run-3"))
        .isEqualTo("{\"request_id\":\"run-3\"," + waiting.formatted("2,\"ahead\":[\"run-2\"]"));
    assertThat(row(sections, "locks", "prod")).contains("\"state\":\"active\",\"request_id\":\"run-1\"",
        "\"waiters\":2}");
    assertThat(row(sections, "locks", "held")).isEqualTo("""
        {"lock_name":"held","state":"active","request_id":"r1","actor":"bob","intent":"manual",\
        "host_id":"tower-01","created_at":"TIME","last_heartbeat_at":"TIME","expires_at":"TIME","ttl_seconds":60,\
        "fencing_token":1,"waiters":0}""");
    assertThat(row(sections, "locks", "old")).contains("\"state\":\"stale\"", "\"host_id\":\"tower-02\"");
    assertThat(row(sections, "locks", "broken")).contains("\"state\":\"corrupt\",\"problem\":\"");
    assertThat(sections.get("locks")).doesNotContainKey("frozen");
    assertThat(row(sections, "freezes", "frozen")).isEqualTo("""
        {"name":"frozen","frozen_by":"operator","reason":"audit","created_at":"TIME","expires_at":"TIME"}""");
    assertThat(row(sections, "hosts", "tower-01")).matches("""
        \\{"host_id":"tower-01","alive":true,"executors":\\[\\{"id":"[0-9a-f]+","kind":"service","pid":0,\
        "version":"[^"]+","alive":true,"entered_at":"TIME"}]}""");
    assertThat(row(sections, "tasks", "task-1")).contains("\"title\":\"Do it\",\"status\":\"pending\"",
        "\"intent\":\"say\"").doesNotContain("description", "params");
    assertThat(row(sections, "mailboxes", "jobs"))
        .isEqualTo("{\"name\":\"jobs\",\"ready\":1,\"leased\":0,\"delayed\":0,\"dead\":0}");
    assertThat(row(sections, "intents", "wait")).isEqualTo("""
        {"name":"wait","description":"For a test","mode":"mutate","version":"1.0.0","lock":"${params.lock}"}""");
  }

  @Test
  @DisplayName("Rows contain no value that changes by itself: two overviews of an idle home are equal")
  @ProofsProfile
  void idle(@TempDir Path own) {
    try (TestService quiet = new TestService(own)) {
      quiet.post("/locks/held", "{\"request_id\":\"r1\",\"ttl_seconds\":600}");
      freeze(quiet, "frozen", 600);
      quiet.post("/tasks", "{\"agent\":\"ann\",\"request_id\":\"t1\",\"title\":\"Do it\"}");
      quiet.post("/mailboxes/jobs/messages", "{\"body\":1}");
      try (OverviewFollower client = new OverviewFollower(quiet)) {
        String first = client.reducer().asOf();
        Await.until("two signs of life",
            () -> client.events().stream().filter(event -> event.startsWith("as_of ")).count() >= 2);

        assertThat(client.reducer().asOf()).isGreaterThan(first);
        assertThat(client.events()).noneMatch(event -> event.startsWith("change "));
        assertThat(client.reducer().sections()).isEqualTo(fresh(quiet));
      }
    }
  }

  @Test
  @DisplayName("A run that starts, waits, moves up and ends appears at once, as do locks, freezes, tasks and messages")
  void changes() throws Exception {
    try (OverviewFollower client = new OverviewFollower(service)) {
      CompletableFuture<Answer> running = bench.begin("dev", "c-1");
      client.awaitRow("runs", "c-1", "\"step\":{\"name\":\"work\",\"index\":1,\"count\":1,");
      client.awaitRow("locks", "dev", "\"request_id\":\"c-1\"");
      async("wait", "\"lock\":\"dev\"", "c-2");
      client.awaitRow("runs", "c-2", "\"position\":1");
      async("wait", "\"lock\":\"dev\"", "c-3");
      client.awaitRow("runs", "c-3", "\"position\":2,\"ahead\":[\"c-2\"]");
      client.awaitRow("locks", "dev", "\"waiters\":2");

      bench.letGo("dev");
      assertThat(running.get().status()).isEqualTo(200);
      client.awaitNone("runs", "c-1");
      client.awaitNone("runs", "c-2");
      client.awaitNone("runs", "c-3");
      client.awaitNone("locks", "dev");

      freeze("held-up", 600);
      client.awaitRow("freezes", "held-up", "audit");
      service.call("DELETE", "/freezes/held-up", "");
      client.awaitNone("freezes", "held-up");
      assertThat(service.call("PUT", "/halts/night",
          "{\"locks\":[\"db-*\"],\"level\":\"drain\",\"reason\":\"incident 7\"}", "Content-Type", "application/json")
          .status()).isEqualTo(201);
      client.awaitRow("halts", "night",
          "\"locks\":[\"db-*\"],\"all\":false,\"level\":\"drain\",\"reason\":\"incident 7\"");
      service.call("DELETE", "/halts/night", "");
      client.awaitNone("halts", "night");
      service.post("/tasks", "{\"agent\":\"ann\",\"request_id\":\"ct1\",\"id\":\"task-2\",\"title\":\"Do it\"}");
      client.awaitRow("tasks", "task-2", "\"status\":\"pending\"");
      service.post("/tasks/task-2/start", "{\"agent\":\"ann\",\"request_id\":\"ct2\"}");
      client.awaitRow("tasks", "task-2", "\"status\":\"in_progress\",");
      service.post("/tasks/task-2/close", "{\"agent\":\"ann\",\"request_id\":\"ct3\",\"outcome\":\"done\"}");
      client.awaitNone("tasks", "task-2");
      service.post("/mailboxes/work/messages", "{\"body\":1}");
      client.awaitRow("mailboxes", "work", "\"ready\":1");
      service.post("/mailboxes/work/receive", "{}");
      client.awaitRow("mailboxes", "work", "\"leased\":1");
      TestService.declare(home, "later", "mode: observe\nsteps: [{ name: s, run: [echo, x] }]\n");
      client.awaitRow("intents", "later", "For a test");
      Await.until("the client has the present state", () -> client.reducer().sections().equals(fresh()));
    }
  }

  @Test
  @DisplayName("A run is shown in its new place as soon as the request before it gives up, also in its own document")
  void movesUp() throws Exception {
    CompletableFuture<Answer> running = bench.begin("stage", "m-1");
    async("short", "\"lock\":\"stage\"", "m-2");
    Await.until("the second waits", () -> row(fresh(), "runs", "m-2").contains("\"position\":1"));
    async("short", "\"lock\":\"stage\"", "m-3");
    Await.until("the third waits", () -> service.get("/runs/m-3").body().contains("\"position\":2"));
    try (OverviewFollower client = new OverviewFollower(service)) {
      client.awaitRow("runs", "m-3", "\"position\":2,\"ahead\":[\"m-2\"]");

      assertThat(service.post("/runs/m-2/cancel", "{}").status()).isEqualTo(202);
      Await.until("the second has ended", () -> service.get("/runs/m-2").body().contains("\"cancelled\""));

      String first = "\"waiting\":{\"lock_name\":\"stage\",\"position\":1,\"ahead\":[],";
      assertThat(row(fresh(), "runs", "m-3")).contains(first);
      assertThat(service.get("/runs/m-3").body()).contains("\"position\":1,", "\"waiting\":{\"lock_name\":\"stage\",",
          "\"position\":1,\"ahead\":[],").doesNotContain("\"position\":2");
      client.awaitRow("runs", "m-3", first);
    }
    bench.letGo("stage");
    assertThat(running.get().status()).isEqualTo(200);
  }

  @Test
  @DisplayName("A lock of another program appears, goes stale and is removed without a signal")
  @ProofsProfile
  void foreign() throws Exception {
    try (OverviewFollower client = new OverviewFollower(service)) {
      service.foreignLock("theirs", SystemTime.source().now(), 3_600);
      client.awaitRow("locks", "theirs", "\"state\":\"active\",\"request_id\":\"req_old\"");
      service.foreignLock("theirs", SystemTime.source().now(), 2);
      client.awaitRow("locks", "theirs", "\"state\":\"stale\"");
      service.removeForeignLock("theirs");
      client.awaitNone("locks", "theirs");
    }
  }

  @Test
  @DisplayName("A change of this process arrives within a second")
  void swift() {
    try (OverviewFollower client = new OverviewFollower(service)) {
      // The first calls load classes.
      service.post("/locks/warm", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");
      client.awaitRow("locks", "warm", "r1");
      List<Long> millis = new ArrayList<>();
      List<Long> calls = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        String name = "swift-" + i;
        long called = SystemTime.source().nanos();
        service.post("/locks/" + name, "{\"request_id\":\"r1\",\"ttl_seconds\":60}");
        long begun = SystemTime.source().nanos();
        calls.add(Duration.ofNanos(begun - called).toMillis());
        client.awaitRow("locks", name, "r1");
        millis.add(Duration.ofNanos(SystemTime.source().nanos() - begun).toMillis());
      }
      assertThat(median(millis)).as("the median of %s ms, where calls take %s ms", millis, calls)
          .isLessThan(1000 + 20 * median(calls));
    }
  }

  private static long median(List<Long> values) {
    return values.stream().sorted().toList().get(values.size() / 2);
  }

  @Test
  @DisplayName("The stream ends when the token is revoked, and when the service stops; HEAD has no events")
  void ends(@TempDir Path other) throws Exception {
    assertThat(service.call("HEAD", "/overview/stream", "").header("Content-Type")).startsWith("text/event-stream");
    try (OverviewFollower revoked = new OverviewFollower(service, TestTokens.tokenOf("ivy"))) {
      TestTokens.write(home, TOKENS);
      Await.until("the stream ends", revoked::isEnded);
      assertThat(revoked.comment()).isEqualTo(": the token was revoked or has expired");
    }
    TestService stopping = new TestService(other);
    OverviewFollower client = new OverviewFollower(stopping);
    stopping.close();
    Await.until("the stream ends", client::isEnded);
    client.close();
  }

  @Test
  @OneHost("the test moves a directory of locks")
  @DisplayName("A store that cannot be read is a problem of its sections; the others still change")
  @ProofsProfile
  void problem() throws Exception {
    service.post("/locks/spared", "{\"request_id\":\"r1\",\"ttl_seconds\":600}");
    try (OverviewFollower client = new OverviewFollower(service)) {
      client.awaitRow("locks", "spared", "r1");
      Path locks = home.resolve("logs/locks");
      Files.move(locks, home.resolve("moved"));
      Files.writeString(locks, "in the way");
      Await.until("a problem", () -> client.reducer().problem().endsWith(" [\"locks\",\"freezes\"]"));
      assertThat(client.row("locks", "spared")).as("as read last").contains("r1");
      Answer unavailable = service.get("/overview");
      assertThat(unavailable.status()).isEqualTo(503);
      assertThat(unavailable.body()).contains("\"error\":\"storage_unavailable\"");
      service.post("/mailboxes/spare/messages", "{\"body\":1}");
      client.awaitRow("mailboxes", "spare", "\"ready\":1");

      Files.delete(locks);
      Files.move(home.resolve("moved"), locks);
      Await.until("no problem", () -> client.reducer().problem().isEmpty());
      Await.until("the client has the present state", () -> client.reducer().sections().equals(fresh()));
    }
  }

  @Test
  @DisplayName("Changes applied to the first snapshot give a new snapshot, after random operations")
  @ProofsProfile
  void random(@TempDir Path own) throws Exception {
    Random random = new Random(18);
    try (TestRunService changing = new TestRunService(own);
        OverviewFollower client = new OverviewFollower(changing.service)) {
      for (int i = 0; i < OPERATIONS; i++) {
        operate(changing.service, random, i);
        if (i % 60 == 59) {
          Await.until("the client has the state after operation " + i,
              () -> client.reducer().sections().equals(fresh(changing.service)));
        }
      }
      assertThat(client.events()).anyMatch(event -> event.startsWith("change "));
    }
  }

  private static void operate(TestService service, Random random, int number) {
    String name = "n" + random.nextInt(8);
    String lock = "\"lock\":\"" + name + "\"";
    switch (random.nextInt(11)) {
      case 0, 1 -> service.post("/locks/" + name, "{\"request_id\":\"r\",\"ttl_seconds\":" + (1 + random.nextInt(4))
          + ",\"force_lock\":true}");
      case 2 -> service.call("DELETE", "/locks/" + name + "?request_id=r", "");
      case 3 -> service.post("/locks/" + name + "/force-release", "{\"reason\":\"x\"}");
      case 4 -> service.call("PUT", "/freezes/" + name, "{\"reason\":\"audit\",\"ttl_seconds\":"
          + (1 + random.nextInt(3)) + "}", "Content-Type", "application/json");
      case 5 -> service.call("DELETE", "/freezes/" + name, "");
      case 6 -> service.call("POST", "/intents/short", "{\"params\":{" + lock + "},\"request_id\":\"run-" + number
          + "\",\"wait_seconds\":1}", "Content-Type", "application/json", "Prefer", "respond-async");
      case 7 -> service.post("/tasks", "{\"agent\":\"ann\",\"request_id\":\"t" + number + "\",\"title\":\"T\",\"id\":\""
          + name + "\"}");
      case 8 -> service.post("/tasks/" + name + "/start", "{\"agent\":\"ann\",\"request_id\":\"t" + number
          + "\",\"ttl_seconds\":2}");
      case 9 -> service.post("/mailboxes/" + name + "/messages", "{\"body\":" + number + "}");
      default -> {
        service.rawLock(name, random.nextBoolean() ? "{" : "{\"lock_version\":\"v9\",\"lock_name\":\"" + name + "\"}");
        service.post("/mailboxes/" + name + "/receive", "{\"visibility_timeout\":1}");
      }
    }
  }

  @Test
  @DisplayName("An unknown parameter is rejected")
  void strict() {
    for (String path : List.of("/overview?x=1", "/overview/stream?x=1")) {
      assertThat(service.get(path).body()).contains("\"error\":\"invalid_request\"", "\"member\":\"x\"");
    }
  }
}

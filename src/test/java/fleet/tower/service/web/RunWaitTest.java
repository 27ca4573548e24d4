package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("A waiting run says what it waits for, also on a host that does not execute it")
class RunWaitTest {
  private final Path directory;
  private final List<TestRunService> services = new ArrayList<>();

  RunWaitTest(@TempDir Path directory) {
    this.directory = directory;
  }

  @AfterEach
  void stop() {
    services.reversed().forEach(TestRunService::close);
  }

  private TestRunService start(String name, String... settings) {
    TestRunService started = new TestRunService(directory.resolve(name), settings);
    services.add(started);
    return started;
  }

  /** The member {@code waiting} of a run, with its times replaced; empty if there is none. */
  private static String waiting(TestRunService through, String id) {
    String body = through.service.get("/runs/" + id).body();
    int begin = body.indexOf("\"waiting\":");
    return begin < 0
        ? ""
        : body.substring(begin + "\"waiting\":".length(), body.indexOf(",\"params\":"))
            .replaceAll("\"20\\d\\d-[^\"]+Z\"", "\"T\"").replaceAll("\"host_id\":\"[^\"]+\",\"pid\":\\d+", "…");
  }

  private static CompletableFuture<Answer> wait(TestRunService through, String lock, String id) {
    return through.service.later("/intents/short", "{\"params\":{\"lock\":\"" + lock + "\"},\"request_id\":\"" + id
        + "\",\"wait_seconds\":600}");
  }

  @Test
  @DisplayName("Behind a live holder, then a freeze, then nothing")
  void states() throws IOException {
    TestRunService bench = start("home");
    TestService service = bench.service;
    service.foreignLock("held", SystemTime.source().now(), 3_600);
    CompletableFuture<Answer> run = wait(bench, "held", "r1");
    Await.until("it waits", () -> waiting(bench, "r1").contains("\"position\":1"));
    assertThat(waiting(bench, "r1")).isEqualTo("""
        {"lock_name":"held","state":"held","position":1,"ahead":[],"held_by":{"request_id":"req_old","actor":"bob",\
        "intent":"deploy","created_at":"T","last_heartbeat_at":"T",…}}""");

    service.call("PUT", "/freezes/held", "{\"reason\":\"audit\",\"ttl_seconds\":600,\"request_id\":\"f1\"}",
        "Content-Type", "application/json");
    assertThat(waiting(bench, "r1")).startsWith("{\"lock_name\":\"held\",\"state\":\"frozen\",\"position\":1,")
        .endsWith("\"frozen\":{\"lock_name\":\"held\",\"request_id\":\"f1\",\"actor\":\"operator\","
            + "\"reason\":\"audit\",\"created_at\":\"T\",\"ttl_seconds\":600,\"expires_at\":\"T\"}}");
    service.call("POST", "/locks/held/force-release", "{\"reason\":\"test\"}", "Content-Type", "application/json");
    assertThat(waiting(bench, "r1"))
        .startsWith("{\"lock_name\":\"held\",\"state\":\"frozen\",\"position\":1,\"ahead\":[],\"frozen\":{");
    service.call("DELETE", "/freezes/held", "");
    assertThat(run.join().body()).contains("\"status\":\"succeeded\"").doesNotContain("\"waiting\":{");
    assertThat(waiting(bench, "r1")).isEmpty();
  }

  @Test
  @DisplayName("On another host: its place and who is ahead; a queued run its place in the queue of runs")
  @ProofsProfile
  void fleet() throws Exception {
    String url = PostgresServer.newDatabase();
    TestRunService one = start("one", "--tower.database.url=" + url, "--tower.host-id=tower-01",
        "--tower.queue.workers=1");
    TestRunService two = start("two", "--tower.database.url=" + url, "--tower.host-id=tower-02",
        "--tower.queue.workers=1");
    CompletableFuture<Answer> holder = one.begin("busy", "holder");
    CompletableFuture<Answer> first = wait(one, "busy", "first");
    Await.until("the first waits", () -> waiting(two, "first").contains("\"position\":1"));
    CompletableFuture<Answer> second = wait(one, "busy", "second");
    Await.until("the second waits", () -> waiting(two, "second").contains("\"position\":2"));

    assertThat(waiting(two, "second")).isEqualTo(waiting(one, "second")).isEqualTo("""
        {"lock_name":"busy","state":"held","position":2,"ahead":[{"request_id":"first","actor":"operator",\
        "intent":"short","since":"T"}],"held_by":{"request_id":"holder","actor":"operator","intent":"wait",\
        "created_at":"T","last_heartbeat_at":"T",…}}""");

    CompletableFuture<Answer> q1 = queue(one, "gate-1", "q1");
    CompletableFuture<Answer> q2 = queue(two, "gate-2", "q2");
    Await.until("both workers are busy", () -> isBusy(one, two, "gate-1") && isBusy(one, two, "gate-2"));
    CompletableFuture<Answer> q3 = queue(one, "gate-3", "q3");
    Await.until("it is the first in the queue", () -> waiting(one, "q3").contains("\"position\":1"));
    CompletableFuture<Answer> q4 = queue(one, "gate-4", "q4");
    Await.until("both wait", () -> waiting(two, "q4").contains("\"position\":2"));
    assertThat(waiting(two, "q3")).isEqualTo("{\"lock_name\":\"gate-3\",\"state\":\"queued\",\"position\":1}");
    assertThat(waiting(one, "q4")).isEqualTo("{\"lock_name\":\"gate-4\",\"state\":\"queued\",\"position\":2}");

    for (TestRunService service : List.of(one, two)) {
      List.of("busy", "gate-1", "gate-2", "gate-3", "gate-4").forEach(service::letGo);
    }
    for (CompletableFuture<Answer> run : List.of(holder, first, second, q1, q2, q3, q4)) {
      assertThat(run.get().body()).contains("\"status\":\"succeeded\"").doesNotContain("\"waiting\":{");
    }
  }

  private static CompletableFuture<Answer> queue(TestRunService through, String lock, String id) {
    CompletableFuture<Answer> run = through.service.later("/intents/wait",
        "{\"params\":{\"lock\":\"" + lock + "\"},\"request_id\":\"" + id + "\",\"queue\":true}");
    Await.until("it is recorded", () -> through.service.get("/runs/" + id).status() == 200);
    return run;
  }

  private static boolean isBusy(TestRunService one, TestRunService two, String lock) {
    return !one.lines("begun-" + lock).isEmpty() || !two.lines("begun-" + lock).isEmpty();
  }

  @Test
  @DisplayName("Behind another tool's lock, which it waits for while it holds its own")
  void foreign() throws IOException {
    Path home = directory.resolve("home");
    TestService.declare(home, "sync", """
        mode: mutate
        controls: { lock: sync, respect: ["beads:project"] }
        steps:
          - { name: one, run: [echo, one] }
        """);
    Path file = Files.createDirectories(home.resolve("project")).resolve(".exclusive-lock");
    Files.writeString(file, """
        { "holder": "vc-executor", "pid": 7, "hostname": "another-host", "started_at": "2025-10-25T12:00:00Z" }
        """);
    TestRunService bench = start("home");
    CompletableFuture<Answer> run = bench.service.later("/intents/sync",
        "{\"request_id\":\"r1\",\"wait_seconds\":600}");
    Await.until("it waits", () -> waiting(bench, "r1").contains("foreign_state"));
    assertThat(waiting(bench, "r1")).isEqualTo("""
        {"lock_name":"sync","state":"foreign_lock","foreign_lock":"beads:project",\
        "foreign_state":"held by vc-executor (pid 7 on another-host, since 2025-10-25T12:00:00Z)"}""");
    Files.delete(file);
    assertThat(run.join().body()).contains("\"status\":\"succeeded\"");
  }
}

package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.service.config.TestService;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Limits of runs in a service")
class RunLimitsTest {
  private final Path home;
  @AutoClose
  private final TestRunService bench;
  private final TestService service;

  RunLimitsTest(@TempDir Path home) {
    this.home = home;
    TestService.declare(home, "chatter", """
        mode: observe
        steps:
          - name: talk
            script: head -c 5000 /dev/zero | tr '\\0' x; echo; echo still here >"$TOWER_HOME/after"
          - { name: whisper, run: [echo, quiet] }
        """);
    bench = new TestRunService(home, "--tower.runs.max-concurrent=2", "--tower.runs.max-output-per-step=1000B",
        "--tower.queue.workers=1", "--tower.calls.max-waiting=3", "--tower.callers.max-share=100");
    service = bench.service;
  }

  @AfterEach
  void settle() {
    service.settle();
  }

  private CompletableFuture<TestService.Answer> begin(String lock) {
    CompletableFuture<TestService.Answer> run = service.later("/intents/wait",
        "{\"params\":{\"lock\":\"" + lock + "\"},\"request_id\":\"" + lock + "\"}");
    Await.until("its step has begun", () -> Files.exists(home.resolve("begun-" + lock)));
    return run;
  }

  private void let(String lock) throws IOException {
    Files.createFile(home.resolve("go-" + lock));
  }

  @Test
  @DisplayName("Runs over the limit get 429; a repeated request has its answer, and a queued one waits")
  void concurrent() throws Exception {
    CompletableFuture<TestService.Answer> first = begin("one");
    CompletableFuture<TestService.Answer> second = begin("two");

    TestService.Answer refused = service.post("/intents/say", "{\"request_id\":\"third\"}");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.header("Retry-After")).isEqualTo("5");
    assertThat(refused.body()).contains("\"error\":\"too_many_runs\"", "\"limit\":2", "\"suggestion\":\"try again");
    assertThat(service.get("/runs/third").status()).isEqualTo(404);
    assertThat(service.call("POST", "/intents/wait", "{\"params\":{\"lock\":\"one\"},\"request_id\":\"one\"}",
        "Content-Type", "application/json", "Prefer", "respond-async").status()).isEqualTo(202);
    assertThat(service.post("/intents/say", "{\"queue\":true,\"request_id\":\"queued\"}").status()).isEqualTo(200);

    let("one");
    assertThat(first.get().status()).isEqualTo(200);
    Await.until("there is room",
        () -> service.post("/intents/say", "{\"request_id\":\"third\"}").status() == 200);
    let("two");
    assertThat(second.get().status()).isEqualTo(200);
  }

  @Test
  @DisplayName("Event streams and waits for a run count as waiting calls; a run rejected by that limit has not started")
  @ProofsProfile
  void listening() throws Exception {
    CompletableFuture<TestService.Answer> run = begin("heard");
    assertThat(service.post("/tasks", "{\"agent\":\"a\",\"request_id\":\"r1\",\"id\":\"t1\",\"title\":\"T\"}").status())
        .isEqualTo(201);
    List<InputStream> streams = new ArrayList<>();
    for (String path : List.of("/audit/stream", "/tasks/t1/events")) {
      InputStream stream = service.client().send(service.request(path).header("Authorization", "Bearer "
          + service.token()).header("Accept", "text/event-stream").build(), BodyHandlers.ofInputStream()).body();
      assertThat(stream.read()).isEqualTo(':');
      streams.add(stream);
    }

    for (TestService.Answer refused : List.of(service.get("/runs/heard/events"), service.get("/audit/stream"),
        service.post("/intents/say", "{\"request_id\":\"late\"}"))) {
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.body()).contains("\"error\":\"too_many_waiting_calls\"");
    }
    assertThat(service.get("/runs/late").status()).isEqualTo(404);
    assertThat(service.get("/tasks/t1/events").status()).isEqualTo(200);
    assertThat(service.call("POST", "/intents/say", "{\"request_id\":\"async\"}", "Content-Type", "application/json",
        "Prefer", "respond-async").status()).isEqualTo(202);

    let("heard");
    assertThat(run.get().status()).isEqualTo(200);
    assertThat(service.post("/intents/say", "{\"request_id\":\"late\"}").status()).isEqualTo(200);
    assertThat(service.get("/runs/heard/events").body()).contains("run_finished");
    for (InputStream stream : streams) {
      stream.close();
    }
  }

  @Test
  @DisplayName("The number of waiting calls is limited, of any kind; others are answered, and a leaving call "
      + "makes room")
  void waiting() {
    List<CompletableFuture<TestService.Answer>> waiting = Stream.of("w1", "w2", "w3").map(lock -> {
      assertThat(service.post("/locks/" + lock, "{\"request_id\":\"holder\"}").status()).isEqualTo(201);
      CompletableFuture<TestService.Answer> wait = service.later("/locks/" + lock,
          "{\"request_id\":\"w-" + lock + "\",\"wait_seconds\":600}");
      Await.until("it waits", () -> service.get("/locks/" + lock).body().contains("\"waiters\":1"));
      return wait;
    }).toList();

    Map<String, TestService.Answer> refusals = Map.of(
        "", service.post("/locks/w1", "{\"request_id\":\"more\",\"wait_seconds\":60}"),
        "\"schema_version\":\"v1\",\"success\":false,\"error_code\":\"too_many_waiting_calls\",",
        service.post("/mailboxes/box/receive", "{\"wait_time_seconds\":60}"));
    refusals.forEach((envelope, refused) -> {
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("Retry-After")).isEqualTo("5");
      assertThat(refused.body()).startsWith("{\"type\":\"about:blank\",\"title\":\"Too Many Requests\",\"status\":429,"
          + "\"detail\":\"3 calls already wait or stream here\"," + envelope
          + "\"error\":\"too_many_waiting_calls\",\"limit\":3,\"suggestion\":\"try again in a moment, or without waiting;"
          + " tower.calls.max-waiting sets the limit\",\"next_actions\":["
          + "{\"method\":\"POST\",");
    });
    assertThat(service.post("/locks/w1", "{}").status()).isEqualTo(409);
    assertThat(service.post("/mailboxes/box/receive", "").status()).isEqualTo(200);

    service.call("DELETE", "/locks/w3/waiters/w-w3", "");
    assertThat(waiting.getLast().join().status()).isEqualTo(409);
    assertThat(service.post("/mailboxes/box/receive", "{\"wait_time_seconds\":1}").status()).isEqualTo(200);
    for (String lock : List.of("w1", "w2")) {
      service.call("DELETE", "/locks/" + lock + "?request_id=holder", "");
    }
    assertThat(waiting.subList(0, 2)).allSatisfy(wait -> assertThat(wait.join().status()).isEqualTo(201));
  }

  @Test
  @DisplayName("The place of a rejected run is freed")
  @ProofsProfile
  void refusedGivesBack() {
    assertThat(service.post("/locks/held", "{\"request_id\":\"r\"}").status()).isEqualTo(201);
    for (int i = 0; i < 5; i++) {
      assertThat(service.post("/intents/wait", "{\"params\":{\"lock\":\"held\"},\"wait_seconds\":1}").status())
          .isEqualTo(409);
      // A run gives its place back after it has answered.
      Await.until("its place is free", () -> service.get("/actuator/prometheus").body()
          .contains("tower_runs_active 0.0"));
    }
    assertThat(service.post("/intents/say", "{}").status()).isEqualTo(200);
  }

  @Test
  @DisplayName("Excess output of a step is dropped; its log and the run's warnings say so, and it continues")
  void output() throws IOException {
    TestService.Answer answer = service.post("/intents/chatter", "{\"request_id\":\"c1\"}");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("\"result\":\"success\"",
        "\"warnings\":[\"talk: the output is longer than 1000 bytes; the rest is not kept\"]");
    assertThat(home.resolve("after")).content().isEqualTo("still here\n");
    assertThat(Files.readString(home.resolve("logs/runs/c1/talk.log"))).isEqualTo(
        "x".repeat(1000) + "\n[tower] the output is longer than 1000 bytes; the rest is not kept\n");
    assertThat(home.resolve("logs/runs/c1/whisper.log")).content().isEqualTo("quiet\n");
  }
}

package fleet.tower.service.answers;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;
import fleet.tower.service.web.TestRunService;
import fleet.tower.service.web.access.TestTokens;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("A client that only follows the first next action succeeds")
class FollowerTest {
  private static final String ANN = TestTokens.tokenOf("ann");
  private static final String SECRET = "hush-hush-hush";

  private final Path home;
  @AutoClose
  private final TestRunService bench;
  private final TestService service;

  FollowerTest(@TempDir Path home) {
    this.home = home;
    TestTokens.write(home, TestTokens.entry("ann", "agent", "") + TestTokens.entry("eve", "viewer", "")
        + TestTokens.entry("sue", "agent", "intents: [say]"));
    TestService.declare(home, "sealed", """
        mode: mutate
        params:
          key: { type: string, secret: true, required: true }
        controls: { lock: sealed }
        steps:
          - name: use
            script: 'true'
        """);
    TestService.declare(home, "sync", """
        mode: mutate
        controls: { respect: ["beads:project"] }
        steps:
          - name: use
            script: 'true'
        """);
    bench = new TestRunService(home);
    service = bench.service;
  }

  private CompletableFuture<Answer> waiting(String lock, int waiters, String method, String href, String body) {
    CompletableFuture<Answer> end = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(
        () -> end.completeAsync(() -> new Follower(service, ANN).call(method, href, body).end(), Runnable::run));
    Await.until("it waits for " + lock,
        () -> end.isDone() || service.get("/locks/" + lock).body().contains("\"waiters\":" + waiters));
    return end;
  }

  private void release(String lock, String by) {
    assertThat(service.call("DELETE", "/locks/" + lock + "?request_id=" + by, "").status()).isEqualTo(200);
  }

  @Test
  @DisplayName("Blocked: it waits in line, for a lock and for a run")
  void blocked() {
    service.post("/locks/busy", "{\"request_id\":\"r1\"}");
    CompletableFuture<Answer> lock = waiting("busy", 1, "POST", "/locks/busy", "{\"request_id\":\"mine\"}");
    release("busy", "r1");
    assertThat(lock.join().status()).isEqualTo(201);
    assertThat(lock.join().body()).contains("\"request_id\":\"mine\"");

    service.post("/locks/runs", "{\"request_id\":\"r1\"}");
    CompletableFuture<Answer> run = waiting("runs", 1, "POST", "/intents/short", "{\"params\":{\"lock\":\"runs\"}}");
    release("runs", "r1");
    assertThat(run.join().body()).contains("\"status\":\"succeeded\"");
  }

  @Test
  @DisplayName("Third in line: it waits behind the second")
  void thirdInLine() {
    service.post("/locks/line", "{\"request_id\":\"r1\"}");
    CompletableFuture<Answer> second = waiting("line", 1, "POST", "/locks/line", "{\"request_id\":\"r2\"}");
    CompletableFuture<Answer> third = waiting("line", 2, "POST", "/locks/line", "{\"request_id\":\"r3\"}");
    release("line", "r1");
    assertThat(second.join().status()).isEqualTo(201);
    assertThat(third.isDone()).isFalse();
    release("line", "r2");
    assertThat(third.join().status()).isEqualTo(201);
  }

  @Test
  @DisplayName("Frozen: it waits until the freeze ends")
  void frozen() {
    service.call("PUT", "/freezes/ice", "{\"ttl_seconds\":600,\"reason\":\"audit\"}", "Content-Type",
        "application/json");
    CompletableFuture<Answer> end = waiting("ice", 1, "POST", "/locks/ice", "{}");
    assertThat(end.isDone()).isFalse();
    assertThat(service.call("DELETE", "/freezes/ice", "").status()).isEqualTo(200);
    assertThat(end.join().status()).isEqualTo(201);
  }

  @Test
  @DisplayName("A bad parameter: it gets the intent's parameters as a JSON Schema")
  void badParameter() {
    assertThat(new Follower(service, ANN).call("POST", "/intents/short", "{\"params\":{\"lock\":7}}").end().body())
        .contains("\"name\":\"short\"", "\"params\":{\"type\":\"object\",\"properties\":{\"lock\":");
  }

  @Test
  @DisplayName("An unknown intent: it runs the nearest that takes its parameters, or lists them if its token may not")
  void unknownIntent() {
    assertThat(
        new Follower(service, ANN).call("POST", "/intents/shrt", "{\"params\":{\"lock\":\"near\"}}").end().body())
        .contains("\"intent\":\"short\"", "\"status\":\"succeeded\"");
    assertThat(new Follower(service, TestTokens.tokenOf("sue")).call("POST", "/intents/sey", "{}").end().body())
        .contains("\"name\":\"say\"");
    assertThat(new Follower(service, ANN).call("POST", "/intents/shrt", "{\"params\":{\"x\":1}}").end().body())
        .contains("\"name\":\"short\"");
  }

  @Test
  @DisplayName("A lost answer: the same request returns the run, another body under its id leads to the run")
  void lostAnswer() {
    String body = "{\"params\":{\"lock\":\"lost\"},\"request_id\":\"lost-1\"}";
    new Follower(service, ANN).call("POST", "/intents/short", body);
    assertThat(new Follower(service, ANN).call("POST", "/intents/short", body).end().header("Idempotency-Replayed"))
        .isEqualTo("true");
    assertThat(new Follower(service, ANN).call("POST", "/intents/short", body.replace("\"lost\"", "\"found\"")).end()
        .body()).contains("\"request_id\":\"lost-1\"", "\"status\":\"succeeded\"");
    assertThat(bench.lines("order-lost")).containsExactly("lost-1");
  }

  @Test
  @DisplayName("A foreign lock: it waits until its holder is done, and never disturbs it")
  void foreignLock() throws IOException {
    Path file = Files.createDirectories(home.resolve("project")).resolve(".exclusive-lock");
    Files.writeString(file, """
        { "holder": "vc", "pid": 7, "hostname": "another-host", "started_at": "2025-10-25T12:00:00Z" }
        """);
    Follower.Path path = new Follower((method, href, body) -> service.callAs(ANN, method, href, body),
        () -> delete(file)).call("POST", "/intents/sync", "{}");
    assertThat(path.refusal().body()).contains("\"error\":\"foreign_lock\"", "\"body\":{\"wait_seconds\":600}")
        .doesNotContain("force");
    assertThat(path.end().body()).contains("\"status\":\"succeeded\"");
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("Stale: an operator takes it by force; an agent sees the holder and learns what to ask an operator for")
  void stale() {
    service.foreignLock("dead", SystemTime.source().now().minusSeconds(100), 10);
    Follower.Path agent = new Follower(service, ANN).call("POST", "/locks/dead", "{\"ttl_seconds\":60}");
    assertThat(agent.end().body()).contains("\"state\":\"stale\"", "\"actor\":\"bob\"");
    assertThat(agent.refusal().body()).doesNotContain("\"force_lock\":true").endsWith(
        "{\"why\":\"ask an operator to run: tower lock dead --ttl 1m --force-lock (take it, if its holder is really"
            + " gone)\"}]}");

    assertThat(new Follower(service, service.token()).call("POST", "/locks/dead", "{\"ttl_seconds\":60}").end().body())
        .contains("\"stolen\":true");
  }

  @Test
  @DisplayName("No one is led to more rights: a viewer reads, a caller without a token sees that the service works")
  void rights() {
    Follower.Path viewer = new Follower(service, TestTokens.tokenOf("eve")).call("POST", "/locks/x", "{}");
    assertThat(viewer.refusal().body()).contains("\"error\":\"forbidden\"").doesNotContain("token of", "tower token");
    assertThat(viewer.end().status()).isEqualTo(200);

    Answer force = service.callAs(ANN, "POST", "/locks/x", "{\"force_lock\":true}");
    assertThat(force.body()).contains("\"error\":\"forbidden\"",
        "{\"why\":\"ask an operator to run: tower lock x --force-lock (it needs the role operator)\"}]");

    Follower.Path stranger = new Follower(service, "nobody").call("GET", "/locks", "");
    assertThat(stranger.refusal().status()).isEqualTo(401);
    assertThat(stranger.refusal().body()).contains("Authorization: Bearer TOKEN").doesNotContain("state/token",
        "operator", "tower token");
    assertThat(stranger.end().body()).contains("\"status\":\"UP\"");
  }

  @Test
  @DisplayName("A secret is never repeated: the request is described, and the first action shows the holder")
  void secrets() {
    service.post("/locks/sealed", "{\"request_id\":\"r1\"}");
    Follower.Path path = new Follower(service, ANN).call("POST", "/intents/sealed",
        "{\"params\":{\"key\":\"" + SECRET + "\"}}");
    assertThat(path.refusal().body()).doesNotContain(SECRET).contains(
        "its body has secret parameters; send it with \\\"wait_seconds\\\": 600");
    assertThat(path.end().body()).contains("\"request_id\":\"r1\"");
    assertThat(new Follower(service, ANN).call("POST", "/intents/seald", "{\"params\":{\"key\":\"" + SECRET + "\"}}")
        .refusal().body()).doesNotContain(SECRET);
  }

  @Test
  @DisplayName("U4 Retry-After is a third of the ttl, at most 60 s, or known from past runs of the holder's intent: none "
      + "when it takes longer than usual")
  void retryAfter() {
    service.post("/locks/guess", "{\"request_id\":\"r1\",\"ttl_seconds\":900}");
    assertThat(service.post("/locks/guess", "{}").header("Retry-After")).isEqualTo("60");

    bench.letGo("past");
    service.post("/intents/wait", "{\"params\":{\"lock\":\"past\"}}");
    CompletableFuture<Answer> running = bench.begin("known", "known-1");
    Await.until("its usual time has passed", () -> service.post("/locks/known", "{}").header("Retry-After").isEmpty());
    assertThat(service.post("/locks/known", "{}").body()).contains("; it takes longer than usual\"", "\"position\":1,")
        .doesNotContain("retry_after_seconds");
    bench.letGo("known");
    assertThat(running.join().status()).isEqualTo(200);
  }

  @Test
  @DisplayName("U11 a suggestion tells an agent nothing that only an operator may do")
  void suggestions() {
    service.post("/locks/taken", "{}");
    service.foreignLock("left", SystemTime.source().now().minusSeconds(100), 10);
    assertThat(service.callAs(ANN, "POST", "/locks/taken", "{}").body())
        .contains("\"suggestion\":\"Wait for completion\"");
    assertThat(List.of(service.callAs(ANN, "POST", "/locks/left", "{}"),
        service.callAs(ANN, "POST", "/intents/wait", "{\"params\":{\"lock\":\"left\"}}")))
        .allSatisfy(answer -> assertThat(answer.body())
            .contains("\"suggestion\":\"Ask an operator to take it, if its holder is really gone\""));
    assertThat(service.post("/locks/taken", "{}").body()).as("an operator gets the words of the specification")
        .contains("\"suggestion\":\"Wait for completion or use --force-lock if stale\"");
  }

  @Test
  @DisplayName("The follower fails on a refusal without a call, on a dead end, and on a cycle")
  void fails() {
    String circle = "{\"next_actions\":[{\"method\":\"GET\",\"href\":\"/circle\",\"why\":\"w\"}]}";
    Map<String, Answer> answers = Map.of("/none", new Answer(409, Map.of(), "{}"),
        "/advice", new Answer(409, Map.of(), "{\"next_actions\":[{\"why\":\"ask an operator\"}]}"),
        "/circle", new Answer(409, Map.of(), circle),
        "/dead", new Answer(409, Map.of(), circle.replace("circle", "end")),
        "/end", new Answer(403, Map.of(), circle));
    Follower follower = new Follower((_, href, _) -> requireNonNull(answers.get(href)), () -> {});
    for (String path : new String[]{"/none", "/advice", "/circle", "/dead"}) {
      assertThatThrownBy(() -> follower.call("GET", path, "")).isInstanceOf(AssertionError.class);
    }
  }
}

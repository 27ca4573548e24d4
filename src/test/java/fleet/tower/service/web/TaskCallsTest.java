package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TaskCallsTest {
  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    TestService.declare(home, "deploy", """
        mode: mutate
        params:
          app: { type: string, required: true }
          key: { type: string, secret: true }
        steps:
          - name: work
            run: [echo, "${params.app}"]
        """);
    service = new TestService(home);
  }

  private Answer by(String agent, String request, String path, String members) {
    return service.post("/tasks" + path, "{\"agent\":\"" + agent + "\",\"request_id\":\"" + request + "\""
        + (members.isEmpty() ? "" : "," + members) + "}");
  }

  private void make(String id, String project) {
    assertThat(by("boss", "make-" + id, "", "\"id\":\"" + id + "\",\"title\":\"T\",\"project\":\"" + project + "\"")
        .status()).isEqualTo(201);
  }

  private void expire(String id) {
    Await.until("the claim on " + id + " expires",
        () -> service.get("/tasks/" + id).body().contains("\"claim_active\":false"));
  }

  /** The members of the common envelope. */
  private static String data(String body) {
    String envelope = "{\"schema_version\":\"v1\",\"success\":true,\"data\":";
    assertThat(body).startsWith(envelope).endsWith("}");
    return body.substring(envelope.length(), body.length() - 1);
  }

  @Test
  @DisplayName("VB-11 VB-15 a task is created, listed, claimed, renewed and closed; its JSON is the command line's")
  void life() {
    Answer made = by("Boss", "r1", "", """
        "id":"l1","title":"Ship it","description":"all","priority":3,"depends_on":[],"project":"life",\
        "assigned_to":"ann","intent":"deploy","params":{"app":"web"}""");
    assertThat(made.status()).isEqualTo(201);
    String task = "{\"id\":\"l1\",\"title\":\"Ship it\",\"description\":\"all\",\"status\":\"%s\",\"priority\":3,"
        + "\"depends_on\":[],\"project\":\"life\",\"assigned_to\":\"ann\",\"intent\":\"deploy\","
        + "\"params\":{\"app\":\"web\"},%s\"attempt\":%d,\"version\":%d,\"created_by\":\"boss\","
        + "\"created_at\":\"TIME\"}";
    assertThat(data(made.stable().replaceAll("\"event_id\":\\d+", "\"event_id\":0")))
        .isEqualTo("{\"task\":" + task.formatted("pending", "", 0, 1)
            + ",\"event_id\":0,\"claim_attempt\":0,\"replayed\":false,\"standing\":\"none\"}");
    assertThat(data(service.get("/tasks?project=life&status=pending&limit=5").stable()))
        .isEqualTo("{\"tasks\":[" + task.formatted("pending", "", 0, 1) + "]}");

    make("l0", "life");
    assertThat(data(by("zoe", "r0", "/claim", "\"project\":\"elsewhere\",\"with_intent\":true").body()))
        .startsWith("{\"task\":null");
    Answer claimed = by("ann", "r2", "/claim", "\"project\":\"life\",\"ttl_seconds\":60,\"with_intent\":true");
    assertThat(claimed.status()).isEqualTo(200);
    String claim = "\"claimed_by\":\"ann\",\"claimed_at\":\"TIME\",\"claim_expires_at\":\"TIME\","
        + "\"last_heartbeat_at\":\"TIME\",\"claim_active\":true,";
    assertThat(data(claimed.stable())).startsWith("{\"task\":" + task.formatted("in_progress", claim, 1, 2))
        .endsWith("\"claim_attempt\":1,\"replayed\":false,\"standing\":\"held\"}");
    assertThat(by("ann", "r3", "/l1/heartbeat", "\"attempt\":1").status()).isEqualTo(200);
    Answer closed = by("ann", "r4", "/l1/close", "\"attempt\":1,\"outcome\":\"done\"");
    assertThat(data(closed.stable())).startsWith("{\"task\":" + task.formatted("completed", "", 1, 4))
        .endsWith("\"standing\":\"over\"}");
    assertThat(data(service.get("/tasks/l1").stable())).isEqualTo(task.formatted("completed", "", 1, 4));
    Answer idle = by("ann", "r5", "/resume", "\"project\":\"empty\"");
    assertThat(data(idle.body()))
        .isEqualTo("{\"task\":null,\"event_id\":0,\"replayed\":false,\"standing\":\"none\"}");
    assertThat(service.get("/audit?event=task_closed").body()).contains("\"task_id\":\"l1\"");
  }

  @Test
  @DisplayName("VB-B8 VB-B10 a rejection is a problem with the owner, the expiry, Retry-After and the next step")
  void contended() {
    make("c1", "contended");
    by("ann", "c-1", "/claim", "\"project\":\"contended\"");

    Answer refused = by("bob", "c-1", "/c1/start", "");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(200, 300);
    assertThat(refused.stable().replaceAll("_seconds\":\\d+", "_seconds\":0")).isEqualTo("{\"type\":\"about:blank\","
        + "\"title\":\"Conflict\",\"status\":409,\"detail\":\"task c1 is claimed by ann until TIME (attempt 1)\","
        + "\"schema_version\":\"v1\",\"success\":false,\"error_code\":\"claim_contention\","
        + "\"error\":\"claim_contention\",\"task_id\":\"c1\",\"task_status\":\"in_progress\",\"current_owner\":\"ann\","
        + "\"claim_expires_at\":\"TIME\",\"attempt\":1,\"retry_after_seconds\":0,\"requested_by\":\"bob\","
        + "\"suggestion\":\"claim another task; or claim it after TIME\",\"next_actions\":["
        + "{\"method\":\"POST\",\"href\":\"/tasks/claim\","
        + "\"body\":{\"agent\":\"bob\",\"request_id\":\"NEW\"},"
        + "\"command\":\"tower task claim --agent bob --request-id NEW\","
        + "\"why\":\"claim another task; NEW is an id that you choose\"},"
        + "{\"method\":\"POST\",\"href\":\"/tasks/c1/start\","
        + "\"body\":{\"agent\":\"bob\",\"request_id\":\"NEW\"},"
        + "\"command\":\"tower task start c1 --agent bob --request-id NEW\","
        + "\"why\":\"claim it after TIME; NEW is an id that you choose\"}]}");
    Answer notOwner = by("bob", "c-2", "/c1/close", "\"outcome\":\"done\"");
    assertThat(notOwner.status()).isEqualTo(409);
    assertThat(notOwner.body()).contains("\"error\":\"claim_not_owned\"", "\"reason\":\"taken\"",
        "\"current_owner\":\"ann\"");
    by("ann", "c-6", "/c1/close", "\"outcome\":\"done\"");
    assertThat(by("ann", "c-7", "/c1/heartbeat", "").body()).contains("\"error\":\"claim_not_owned\"",
        "\"reason\":\"unclaimed\"", "\"href\":\"/tasks/c1/events\"").doesNotContain("/tasks/c1/start");
    assertThat(by("bob", "c-3", "/nowhere/start", "").status()).isEqualTo(404);
    assertThat(service.get("/tasks/nowhere").body()).contains("\"error\":\"task_not_found\"",
        "\"href\":\"/tasks\"");
    assertThat(service.get("/tasks/nowhere/events").status()).isEqualTo(404);
    assertThat(by("bob", "c-4", "", "\"id\":\"c1\",\"title\":\"T\"").status()).isEqualTo(409);
    assertThat(by("bob", "c-5", "", "\"title\":\"T\",\"depends_on\":[\"nowhere\"]").status()).isEqualTo(422);
  }

  @Test
  @DisplayName("VB-B4 VB-B5 a repeated request is a replay with the state of the claim; with another body it is 422")
  void replays() {
    make("p1", "replays");
    String claim = "\"project\":\"replays\",\"ttl_seconds\":1";
    by("ann", "p-1", "/claim", claim);
    expire("p1");
    by("bob", "p-1", "/claim", "\"project\":\"replays\"");

    Answer lost = by("ann", "p-1", "/claim", claim);
    assertThat(lost.status()).isEqualTo(200);
    assertThat(lost.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(lost.body()).contains("\"claimed_by\":\"bob\"", "\"claim_attempt\":1,\"replayed\":true,"
        + "\"standing\":\"lost\"");
    Answer held = by("bob", "p-1", "/claim", "\"project\":\"replays\"");
    assertThat(held.body()).contains("\"claim_attempt\":2,\"replayed\":true,\"standing\":\"held\"");
    Answer other = by("ann", "p-1", "/claim", "\"project\":\"replays\"");
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.body()).contains("\"error\":\"idempotency_mismatch\"", "\"command\":\"claim\"",
        "\"arguments\":{\"project\":\"replays\",\"ttl_seconds\":1}");
    assertThat(by("bob", "p-1", "/p1/release", "").status()).isEqualTo(422);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '@', quoteCharacter = '~', value = {
      "/claim @ {} @ 'agent' is missing", "/claim @ {\"agent\":\"a\"} @ 'request_id' is missing",
      "/gc @ {\"agent\":\"a\"} @ 'request_id' is missing",
      "/claim @ {\"agent\":\"a\",\"request_id\":\"r\",\"ttl_seconds\":0} @ 'ttl_seconds' must be a whole number from 1",
      "/claim @ {\"agent\":\"a\",\"request_id\":\"r\",\"ttl\":5} @ there is no member 'ttl'",
      "/claim @ {\"agent\":\"a b\",\"request_id\":\"r\"} @ agent 'a b' is not 1 to 128 characters without spaces",
      "/a%20b/start @ {\"agent\":\"a\",\"request_id\":\"r\"} @ task id 'a b' is not",
      "/t/close @ {\"agent\":\"a\",\"request_id\":\"r\",\"outcome\":\"good\"} @ 'outcome' must be done or blocked",
      "/t/close @ {\"agent\":\"a\",\"request_id\":\"r\"} @ 'outcome' is missing",
      "'' @ {\"agent\":\"a\",\"request_id\":\"r\"} @ 'title' is missing",
      "'' @ {\"agent\":\"a\",\"request_id\":\"r\",\"title\":\"\"} @ title must have 1 to 256 characters, not 0",
      "'' @ {\"agent\":\"a\",\"request_id\":\"r\",\"title\":\"t\",\"depends_on\":\"x\"} @ 'depends_on' must be a list",
      "'' @ {\"agent\":\"a\",\"request_id\":\"r\",\"title\":\"t\",\"depends_on\":[1]} @ 'depends_on' must be a list",
      "'' @ {\"agent\":\"a\",\"request_id\":\"r\",\"title\":\"t\",\"params\":{}} @ 'params' need an intent, but none is named",
      "'' @ {\"agent\":\"a\",\"request_id\":\"r\",\"title\":\"t\",\"intent\":\"deploy\"} @ /params/app is required",
      "'' @ {\"agent\":\"a\",\"request_id\":\"r\",\"title\":\"t\",\"intent\":\"deploy\",\"params\":{\"app\":\"w\","
          + "\"key\":\"hush\"}} @ /params/key is a secret, and everyone can see a task"})
  @DisplayName("VB-5 VB-18 a missing, unknown or invalid member is 400 with the remedy")
  void invalid(String path, String body, String detail) {
    Answer answer = service.post("/tasks" + path.strip().replace("''", ""), body.strip());
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.body()).contains(detail.strip()).doesNotContain("hush");
  }

  @Test
  @DisplayName("An unknown intent is 404 with close matches; invalid queries are 400")
  void others() {
    assertThat(by("a", "o1", "", "\"title\":\"t\",\"intent\":\"deploi\"").body())
        .contains("\"error\":\"intent_not_found\"", "\"closest\":[\"deploy\"]");
    assertThat(service.get("/tasks?status=open").body()).contains("'status' must be pending, in_progress");
    assertThat(service.get("/tasks?status=pendng").body()).contains("did you mean pending?");
    assertThat(service.get("/tasks?limit=0").status()).isEqualTo(400);
    assertThat(service.get("/tasks?colour=red").status()).isEqualTo(400);
    assertThat(service.send(service.request("/tasks").build()).status()).isEqualTo(401);
  }

  @Test
  @DisplayName("VB-9 VB-B11 gc removes expired claims and lists them")
  void sweep() {
    make("g1", "sweep");
    by("ann", "g-1", "/claim", "\"project\":\"sweep\",\"ttl_seconds\":1");
    expire("g1");

    Answer swept = by("janitor", "g-1", "/gc", "");
    assertThat(data(swept.body())).matches("\\{\"released\":\\d+,\"task_ids\":\\[.*\"g1\".*],\"event_ids\":\\[.+],"
        + "\"replayed\":false}");
    assertThat(by("janitor", "g-1", "/gc", "").header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(service.get("/tasks/g1").body()).contains("\"status\":\"pending\"");
  }

  @Test
  @DisplayName("Twenty agents that claim at the same time get twenty different tasks")
  void race() {
    IntStream.range(0, 20).forEach(i -> make("race-" + i, "race"));

    List<CompletableFuture<Answer>> claims = IntStream.range(0, 20).mapToObj(i -> service.later("/tasks/claim",
        "{\"agent\":\"a" + i + "\",\"request_id\":\"race\",\"project\":\"race\"}")).toList();

    Set<String> ids = new TreeSet<>();
    claims
        .forEach(claim -> ids.add(claim.join().body().replaceFirst("^.*?\\{\"task\":\\{\"id\":\"([^\"]+)\".*", "$1")));
    assertThat(ids).hasSize(20).allMatch(id -> id.startsWith("race-"));
    assertThat(data(by("late", "race", "/claim", "\"project\":\"race\"").body())).startsWith("{\"task\":null");
  }

  @Test
  @DisplayName("VB-13 the events of a task are a stream that begins after Last-Event-ID and ends when it is completed")
  void stream() throws Exception {
    make("s1", "stream");
    by("ann", "s-1", "/claim", "\"project\":\"stream\"");
    List<String> ids = new ArrayList<>();
    HttpResponse<InputStream> response = service.client().send(
        service.request("/tasks/s1/events").header("Authorization", "Bearer " + service.token())
            .header("Accept", "text/event-stream").build(),
        BodyHandlers.ofInputStream());
    assertThat(response.headers().firstValue("content-type").orElse("")).startsWith("text/event-stream");
    try (BufferedReader lines = new BufferedReader(
        new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
      assertThat(next(lines, ids)).isEqualTo("task_created");
      assertThat(next(lines, ids)).isEqualTo("task_claimed");
      by("ann", "s-2", "/s1/heartbeat", "");
      assertThat(next(lines, ids)).isEqualTo("task_heartbeat");
      by("ann", "s-3", "/s1/close", "\"outcome\":\"done\"");
      assertThat(next(lines, ids)).isEqualTo("task_completed");
      assertThat(lines.readLine()).isNull();
    }
    Answer rest = service.call("GET", "/tasks/s1/events", "", "Accept", "text/event-stream", "Last-Event-ID",
        ids.get(2));
    assertThat(rest.body().lines().filter(line -> line.startsWith("event:"))).containsExactly("event: task_completed");
    assertThat(rest.body()).contains("data: {\"id\":" + ids.get(3) + ",\"kind\":\"task_completed\",\"task_id\":\"s1\"");
    assertThat(service.call("GET", "/tasks/s1/events", "", "Accept", "text/event-stream", "Last-Event-ID",
        ids.get(3)).status()).isEqualTo(204);
    assertThat(data(service.get("/tasks/s1/events?after=" + ids.get(1) + "&limit=1").body()))
        .startsWith("{\"events\":[{\"id\":" + ids.get(2) + ",\"kind\":\"task_heartbeat\"")
        .doesNotContain("task_completed");
    assertThat(service.call("GET", "/tasks/s1/events", "", "Accept", "text/event-stream", "Last-Event-ID", "x")
        .status()).isEqualTo(400);
  }

  /** The name of the next event; its id is added to the list. */
  private static String next(BufferedReader lines, List<String> ids) throws Exception {
    String name = "";
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("id: ")) {
        ids.add(line.substring(4));
      } else if (line.startsWith("event: ")) {
        name = line.substring(7);
      } else if (line.isEmpty() && !name.isEmpty()) {
        return name;
      }
    }
    return "the stream has ended";
  }
}

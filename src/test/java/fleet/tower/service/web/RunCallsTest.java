package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.harness.Await;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Runs over HTTP")
class RunCallsTest extends SharedRunServiceTest {
  private static final String BOB = """
      {"request_id":"req_old","actor":"bob","intent":"deploy","created_at":"TIME","last_heartbeat_at":"TIME",\
      "host_id":"tower-02","pid":0}""";

  private static Instant secondsAgo(long seconds) {
    return SystemTime.source().now().minusSeconds(seconds);
  }

  private static String problem(int status, String title, String detail, String members) {
    return "{\"type\":\"about:blank\",\"title\":\"" + title + "\",\"status\":" + status + ",\"detail\":\"" + detail
        + "\"," + members + "}";
  }

  private static String next(String method, String href, String body, String command, String why) {
    return next(method, href, command, why).replace("\"command\"", "\"body\":" + body + ",\"command\"");
  }

  private static String next(String method, String href, String command, String why) {
    return "{\"method\":\"" + method + "\",\"href\":\"" + href + "\",\"command\":\"" + command + "\",\"why\":\"" + why
        + "\"}";
  }

  private static String look(String name) {
    return next("GET", "/locks/" + name, "tower why " + name, "see who holds it, and until when");
  }

  private static String step(String name, String status, String exit, String started, String tail) {
    return step(name, status, exit, started, name, tail);
  }

  private static String step(String name, String status, String exit, String started, String log, String tail) {
    return "{\"name\":\"" + name + "\",\"status\":\"" + status + "\",\"exit_code\":" + exit + ",\"started_at\":"
        + started + ",\"duration_ms\":0," + (log.isEmpty() ? "" : "\"log\":\"" + log + "\",") + "\"output_tail\":\""
        + tail + "\"}";
  }

  private static void assertAnswer(Answer answer, int status, String body) {
    assertThat(answer.stable()).isEqualTo(body);
    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.header("Content-Type"))
        .isEqualTo(status < 400 ? "application/json" : "application/problem+json");
  }

  @Test
  @DisplayName("TF-A22 a successful run is 200 with the whole run")
  void succeeded() {
    Answer answer = service.call("POST", "/intents/wait", """
        {"params":{"lock":"fine"},"request_id":"fine-1","metadata":{"ticket":\n[1.0, "A"]}}""", "Content-Type",
        "application/json", "Prefer", "respond-async", "X-Actor", "claude");
    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.header("Location")).isEqualTo("/runs/fine-1");
    assertThat(answer.header("Preference-Applied")).isEqualTo("respond-async");
    Await.until("its step runs", () -> !bench.lines("begun-fine").isEmpty());
    assertThat(service.get("/locks/fine").stable()).contains("\"request_id\":\"fine-1\",\"actor\":\"operator\","
        + "\"intent\":\"wait\",\"intent_version\":\"1.0.0\"",
        "\"metadata\":{\"fencing_token\":1,\"held_for\":\"run\",\"ticket\":[1.0, \"A\"],"
            + "\"on_behalf_of\":\"claude\",\"holder_process\":\"");
    bench.letGo("fine");

    Await.until("it has ended", () -> service.get("/runs/fine-1").body().contains("\"result\":\"success\""));
    assertAnswer(service.get("/runs/fine-1"), 200,
        """
            {"request_id":"fine-1","intent":"wait","intent_version":"1.0.0","mode":"mutate","actor":"operator",\
            "on_behalf_of":"claude","status":"succeeded","result":"success","host_id":"tower-01","lock_name":"fine","lock":{"lock_name":"fine",\
            "lock_path":"HOME/logs/locks/fine.lock","ttl_seconds":900,"fencing_token":1,\
            "heartbeat":"timer","stolen":false},"heartbeat_failures":0,"warnings":[],"steps":[%s],"rollback":[],"metadata":{"ticket": [1.0, "A"]},"created_at":"TIME","finished_at":"TIME",\
            "params":{"lock":"fine"}}"""
            .formatted(step("work", "succeeded", "0", "\"TIME\"", "begun\\n1")));
    assertThat(service.get("/locks/fine").status()).isEqualTo(404);
  }

  @Test
  @DisplayName("TF-A22 a failed run is 200 too: the call succeeded, the run did not")
  void failed() {
    assertAnswer(service.call("POST", "/intents/fail", ""), 200,
        """
            {"request_id":"RANDOM","intent":"fail","intent_version":"1.0.0","mode":"mutate","actor":"operator",\
            "status":"failed","result":"failure","failure_step":"bad","host_id":"tower-01","lock_name":"fail","lock":{"lock_name":"fail",\
            "lock_path":"HOME/logs/locks/fail.lock","ttl_seconds":900,"fencing_token":1,\
            "heartbeat":"timer","stolen":false},"heartbeat_failures":0,"warnings":[],"steps":[%s,%s,%s],"rollback":[%s],"metadata":{},"created_at":"TIME","finished_at":"TIME"}"""
            .formatted(
                step("good", "succeeded", "0", "\"TIME\"", "done"), step("bad", "failed", "3", "\"TIME\"", "oh no"),
                step("never", "skipped", "null", "null", "", ""),
                step("good", "succeeded", "0", "\"TIME\"", "good.rollback", "undone")));
  }

  @Test
  @DisplayName("TF-A22 a held lock is 409 lock_blocked with Retry-After, even with force")
  void blocked() {
    service.foreignLock("busy", secondsAgo(0), 60);

    for (String force : new String[]{"false", "true"}) {
      Answer refused = service.post("/intents/wait",
          "{\"params\":{\"lock\":\"busy\"},\"request_id\":\"busy-1\",\"force_lock\":" + force + "}");
      assertAnswer(refused, 409, problem(409, "Conflict",
          "lock busy is held by bob on tower-02 (intent deploy, request req_old) for AGE, last heartbeat AGE ago",
          "\"error\":\"lock_blocked\",\"lock_name\":\"busy\",\"held_by\":" + BOB
              + ",\"suggestion\":\"Wait for completion or use --force-lock if stale\",\"position\":1,"
              + "\"retry_after_seconds\":20,\"next_actions\":["
              + next("POST", "/intents/wait",
                  "{\"params\":{\"lock\":\"busy\"},\"request_id\":\"busy-1\",\"force_lock\":" + force
                      + ",\"wait_seconds\":600}",
                  "tower run wait -p lock=busy --request-id busy-1"
                      + (force.equals("true") ? " --force-lock" : "") + " --wait 10m",
                  "wait for it")
              + "," + look("busy") + "]"));
      assertThat(Integer.parseInt(refused.header("Retry-After"))).isEqualTo(20);
    }
    assertThat(service.get("/runs/busy-1").status()).isEqualTo(404);
  }

  @Test
  @DisplayName("TF-A22 a stale lock is 409 lock_stale, and with force the run takes it")
  void stale() {
    service.foreignLock("dead", secondsAgo(100), 10);

    Answer refused = service.post("/intents/short", "{\"params\":{\"lock\":\"dead\"}}");
    assertThat(refused.header("Retry-After")).isEmpty();
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.stable().replaceAll("\"age_seconds\":10\\d", "\"age_seconds\":100")).isEqualTo(problem(409,
        "Conflict", "lock dead is stale: held by bob on tower-02 (intent deploy, request req_old) for AGE,"
            + " last heartbeat AGE ago, more than its ttl of 10s",
        "\"error\":\"lock_stale\",\"lock_name\":\"dead\",\"stale_since\":\"TIME\",\"age_seconds\":100,"
            + "\"ttl_seconds\":10,\"held_by\":" + BOB
            + ",\"suggestion\":\"Use --force-lock to acquire (stale lock will be logged)\",\"next_actions\":["
            + next("POST", "/intents/short", "{\"params\":{\"lock\":\"dead\"},\"force_lock\":true}",
                "tower run short -p lock=dead --force-lock", "take it, if its holder is really gone")
            + "," + look("dead") + "]"));

    Answer stolen = service.post("/intents/short", "{\"params\":{\"lock\":\"dead\"},\"force_lock\":true}");
    assertThat(stolen.status()).isEqualTo(200);
    assertThat(stolen.body()).contains("\"status\":\"succeeded\"", "\"stolen\":true}");
  }

  @Test
  @DisplayName("TF-A22 a wait that times out is lock_wait_timeout, and the run keeps that result")
  void waitedInVain() {
    service.foreignLock("slow", secondsAgo(0), 60);
    String refusal = "\"error\":\"lock_wait_timeout\",\"lock_name\":\"slow\",\"held_by\":" + BOB
        + ",\"suggestion\":\"Wait longer, or ask its holder\"";

    Answer refused = service.post("/intents/short",
        "{\"params\":{\"lock\":\"slow\"},\"request_id\":\"slow-1\",\"wait_seconds\":1}");
    assertAnswer(refused, 409, problem(409, "Conflict",
        "nothing was run: lock slow was not free in time, held by bob on tower-02 (intent deploy, request req_old)",
        refusal + ",\"request_id\":\"slow-1\",\"position\":1,\"retry_after_seconds\":20,\"next_actions\":["
            + next("POST", "/intents/short",
                "{\"params\":{\"lock\":\"slow\"},\"request_id\":\"slow-1\",\"wait_seconds\":3600}",
                "tower run short -p lock=slow --request-id slow-1 --wait 1h", "wait longer")
            + "," + look("slow") + "]"));
    assertThat(refused.header("Retry-After")).isEmpty();
    assertThat(service.get("/runs/slow-1").stable()).contains("\"status\":\"refused\",\"result\":\"aborted\"",
        "\"error\":\"lock_wait_timeout\",\"refusal\":{" + refusal + "}");
  }

  @ParameterizedTest
  @DisplayName("TF-A22 a lock that is unreadable, or of a newer version, is 409")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {"garbage | lock_corrupt",
      "{\"lock_version\":\"v9\"} | unsupported_lock_version"})
  void unreadable(String text, String error) {
    String name = "run-" + error.replace('_', '-');
    String reason = error.equals("lock_corrupt") ? "the lock cannot be read" : "version v9 is not supported";
    service.rawLock(name, text);

    Answer refused = service.post("/intents/short", "{\"params\":{\"lock\":\"" + name + "\"},\"force_lock\":true}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.body()).contains("\"error\":\"" + error + "\",\"lock_name\":\"" + name + "\"",
        next("POST", "/locks/" + name + "/force-release", "{\"reason\":\"" + reason + "\"}",
            "tower force-release " + name + " --reason '" + reason + "'", "remove it if it is not held"));
  }

  @Test
  @DisplayName("TF-A22 an unknown intent or run is 404, with similar names")
  void unknown() {
    String intents = next("GET", "/intents", "tower intents", "list the intents, and the errors in their files");
    String members = "\"error\":\"intent_not_found\",\"intent\":\"shrt\",\"closest\":[\"short\"],"
        + "\"suggestion\":\"did you mean short?\",\"next_actions\":[%s," + intents + "]";
    String why = "send it for short, if that was meant";
    Map.of(service.post("/intents/shrt", "{}"), next("POST", "/intents/short", "{}", "tower run short", why),
        service.get("/intents/shrt"), next("GET", "/intents/short", "tower intents short", why),
        service.post("/intents/shrt/plan", "{}"),
        next("POST", "/intents/short/plan", "{}", "tower plan short", why))
        .forEach((answer, first) -> assertAnswer(answer, 404,
            problem(404, "Not Found", "there is no intent \\\"shrt\\\"", members.formatted(first))));

    String runs = "\"error\":\"run_not_found\",\"request_id\":\"r9\",\"suggestion\":\"list the runs\","
        + "\"next_actions\":[" + next("GET", "/runs", "tower runs", "see the newest runs") + "]";
    for (Answer answer : new Answer[]{service.get("/runs/r9"), service.get("/runs/r9/events"),
        service.post("/runs/r9/cancel", "{}")}) {
      assertAnswer(answer, 404, problem(404, "Not Found", "there is no run r9", runs));
    }
  }

  @Test
  @DisplayName("TF-A22 invalid parameters are 400 with a pointer to each, and never show a secret")
  void invalidParams() {
    String look = ",\"next_actions\":[" + next("GET", "/intents/short", "tower intents short",
        "see the parameters of short") + "]";
    assertAnswer(service.post("/intents/short", "{\"params\":{\"lock\":1.0,\"a/b~c\":true}}"), 400, problem(400,
        "Bad Request",
        "2 parameters are invalid: /params/lock must be a string, written in quotes; /params/a~1b~0c unknown "
            + "parameter; the intent has lock",
        "\"error\":\"invalid_params\",\"errors\":["
            + "{\"pointer\":\"/params/lock\",\"message\":\"must be a string, written in quotes\"},"
            + "{\"pointer\":\"/params/a~1b~0c\",\"message\":\"unknown parameter; the intent has lock\"}"
            + "],\"suggestion\":\"correct them and call again\"" + look));

    for (String key : new String[]{"\"HUSH, said he\"", "[\"HUSH\"]", "{\"HUSH\":1}", "null", "1234567"}) {
      Answer refused = service.post("/intents/vault", "{\"params\":{\"key\":" + key + "}}");
      assertThat(refused.status()).isEqualTo(400);
      assertThat(refused.body()).contains("invalid_params", "/params/key").doesNotContain("HUSH", "1234567");
    }
    assertThat(service.post("/intents/vault", "{\"params\":\"HUSH\"}").body())
        .contains("'params' must be an object, not a string").doesNotContain("HUSH");
  }

  @Test
  @DisplayName("TF-A22 a lock template that renders no valid name is 400 invalid_lock_name")
  void invalidLockName() {
    assertAnswer(service.post("/intents/short", "{\"params\":{\"lock\":\"../../x\"}}"), 400, problem(400, "Bad Request",
        "lock name '../../x' has a character outside a-z 0-9 - _ (it comes from the intent's lock"
            + " template ${params.lock})",
        "\"error\":\"invalid_lock_name\",\"suggestion\":\"correct the parameters that the name is built from\","
            + "\"next_actions\":[" + next("GET", "/intents/short", "tower intents short",
                "see the parameters of short")
            + "]"));
  }

  @Test
  @DisplayName("A secret is in no answer: not in the run, its output, its events, its plan, or a list")
  void secret() {
    String body = "{\"params\":{\"key\":\"hush-hush-hush\"},\"request_id\":\"v1\"}";
    Answer run = service.post("/intents/vault", body);
    assertThat(run.status()).isEqualTo(200);
    assertThat(run.body()).contains("\"output_tail\":\"the key is ", "Mutate intent without lock");
    for (Answer answer : new Answer[]{run, service.post("/intents/vault/plan", body), service.get("/runs/v1/events"),
        service.get("/runs"), service.get("/audit"),
        service.post("/intents/vault", body.replace("hush-hush-", "hush-")),
        service.get("/runs/v1")}) {
      assertThat(answer.body()).doesNotContain("hush-hush").isNotEmpty();
    }
  }

  @Test
  @DisplayName("A plan shows the commands and the state of the lock, and changes nothing")
  void plan() throws JsonException {
    service.foreignLock("planned", secondsAgo(0), 60);

    Answer plan = service.post("/intents/short/plan", "{\"params\":{\"lock\":\"planned\"}}");
    assertAnswer(plan, 200,
        """
            {"intent":"short","intent_version":"1.0.0","mode":"mutate","heartbeat":"timer","lock_name":"planned",\
            "lock_state":"held",\
            "held_by":%s,"foreign_locks":[],"steps":[{"name":"work","script":"echo \\"$TOWER_REQUEST_ID\\" >>\\"$TOWER_HOME/order-$PARAM_LOCK\\"",\
            "env":{},"timeout_seconds":%d}],"rollback":[],"warnings":[],"plan":%s,"plan_hash":"HASH"}"""
            .formatted(BOB, 600, JsonReader.readObject(plan.stable()).object("plan").orElseThrow().raw()));
    assertThat(bench.lines("order-planned")).isEmpty();
    assertThat(service.post("/intents/short/plan", "{}").body()).contains("\"lock_state\":\"free\"");
    assertThat(service.post("/intents/say/plan", "{}").body()).contains("\"lock_name\":null,\"lock_state\":\"none\"");
  }

  @Test
  @DisplayName("The catalogue has every intent with its parameters as JSON Schema, and the problems of files")
  void catalogue() {
    assertThat(service.get("/intents/say").body().replaceAll("\"digest\":\"[0-9a-f]{64}\"", "\"digest\":DIGEST"))
        .isEqualTo(
            """
                {"name":"say","version":"1.0.0","description":"For a test","mode":"observe","effect":"none","lock":null,\
                "heartbeat":"timer","on_lock_lost":"stop","on_stale":"refuse","on_interrupted":"keep","respect":[],"exclusive":[],"schedule":null,\
                "runs_on":[],"digest":DIGEST,\
                "timeouts":{"lock_ttl":900,"step":600,"run":3600},\
                "params":{"type":"object","properties":{"text":{"type":"string","default":"hello"}},"required":[],\
                "additionalProperties":false},"steps":["print","script"],"rollback":[],"warnings":[],"allowed":true}""");
    assertThat(service.get("/intents").body()).startsWith("{\"intents\":[{\"name\":\"fail\"")
        .contains("{\"name\":\"vault\"", "\"complaints\":[").contains(service.get("/intents/say").body());
  }

  @Test
  @DisplayName("Runs are listed newest first, by intent and status")
  void list() {
    service.post("/intents/say", "{\"request_id\":\"list-1\"}");
    service.post("/intents/say", "{\"request_id\":\"list-2\"}");

    String newest = service.get("/runs?intent=say&status=succeeded&limit=2").body();
    assertThat(newest).startsWith("{\"runs\":[{\"request_id\":\"list-2\"").contains("{\"request_id\":\"list-1\"")
        .doesNotContain("output_tail");
    assertThat(service.get("/runs?intent=say&status=failed").body()).isEqualTo("{\"runs\":[]}");
    assertThat(service.get("/runs?status=done")).returns(400, Answer::status);
    assertThat(service.get("/runs?status=runing")).returns(400, Answer::status)
        .extracting(Answer::body).asString().contains("did you mean running?");
    assertThat(service.get("/runs?intent=sya")).returns(400, Answer::status)
        .extracting(Answer::body).asString().contains("there is no intent 'sya'; did you mean say?");
    assertThat(service.get("/runs?intent=zebra").body()).isEqualTo("{\"runs\":[]}");
    assertThat(service.get("/runs?limit=0")).returns(400, Answer::status);
  }

  @Test
  @DisplayName("A repeated id and body return the same run, another body is 422")
  void replays() {
    String body = "{\"params\":{\"lock\":\"twice\"},\"request_id\":\"twice-1\"}";
    Answer first = service.post("/intents/short", body);
    Answer second = service.post("/intents/short", body);

    assertThat(first.header("Idempotency-Replayed")).isEmpty();
    assertThat(second.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(second.body()).isEqualTo(first.body());
    assertThat(bench.lines("order-twice")).containsExactly("twice-1");
    assertAnswer(service.post("/intents/short", body.replace("twice\"}", "other\"}")), 422, problem(422,
        "Unprocessable Content",
        "this request_id or Idempotency-Key was used before with another body, caller or intent",
        "\"error\":\"idempotency_mismatch\",\"request_id\":\"twice-1\",\"suggestion\":\"repeat the original body to"
            + " get its run, or use a new id or key\",\"next_actions\":["
            + next("GET", "/runs/twice-1", "tower runs twice-1", "see that run") + ","
            + next("POST", "/intents/short", "{\"params\":{\"lock\":\"other\"},\"request_id\":\"NEW\"}",
                "tower run short -p lock=other --request-id NEW",
                "send it as another request; NEW is an id that you choose")
            + "]"));
  }
}

package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.fleet.OneHost;
import fleet.tower.harness.Await;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Locks over HTTP")
class LockCallsTest {
  private static final String HOLDER = """
      {"request_id":"r1","actor":"operator","intent":"manual","created_at":"TIME","last_heartbeat_at":"TIME",\
      "host_id":"tower-01","pid":0}""";
  private static final String BOB = """
      {"request_id":"req_old","actor":"bob","intent":"deploy","created_at":"TIME","last_heartbeat_at":"TIME",\
      "host_id":"tower-02","pid":0}""";

  @AutoClose
  private TestService service;

  @BeforeAll
  void start(@TempDir Path home) {
    service = new TestService(home);
    assertThat(service.get("/locks").body()).matches(
        "\\{\"locks\":\\[],\"heartbeats\":\\{\"beats\":\\d+,\"worst_lateness_ms\":\\d+,\"failures\":0,\"failing\":0}}");
  }

  private static Instant secondsAgo(long seconds) {
    return SystemTime.source().now().minusSeconds(seconds);
  }

  private static String look(String name) {
    return "{\"method\":\"GET\",\"href\":\"/locks/%s\",\"command\":\"tower why %s\",\"why\":\"see who holds it, and until when\"}"
        .formatted(name, name);
  }

  private static String conflict(String detail, String members) {
    return "{\"type\":\"about:blank\",\"title\":\"Conflict\",\"status\":409,\"detail\":\"" + detail + "\"," + members
        + "}";
  }

  private static String next(String method, String href, String body, String command, String why) {
    return "{\"method\":\"" + method + "\",\"href\":\"" + href + "\",\"body\":" + body + ",\"command\":\"" + command
        + "\",\"why\":\"" + why + "\"}";
  }

  private static String record(String name, String requestId, String metadata) {
    return """
        {"lock_version":"v1","lock_name":"%s","request_id":"%s","actor":"operator","intent":"manual",\
        "intent_version":"none","host_id":"tower-01","pid":0,"created_at":"TIME","last_heartbeat_at":"TIME",\
        "ttl_seconds":60,"metadata":%s""".formatted(name, requestId, metadata);
  }

  @Test
  @DisplayName("A lock is acquired, kept, shown, renewed and released with its request id")
  void life() {
    Answer granted = service.post("/locks/life",
        "{\"request_id\":\"r1\",\"ttl_seconds\":60,\"metadata\":{\"ticket\": [\"A-1\", 12345678901234567890]}}");
    String record = record("life", "r1",
        "{\"fencing_token\":1,\"ticket\":[\"A-1\", 12345678901234567890]}");
    assertThat(granted.status()).isEqualTo(201);
    assertThat(granted.stable()).isEqualTo(
        record + ",\"fencing_token\":1,\"expires_at\":\"TIME\",\"already_held\":false,\"stolen\":false}");

    Answer kept = service.post("/locks/life", "{\"request_id\":\"r1\"}");
    assertThat(kept.status()).isEqualTo(200);
    assertThat(kept.stable()).isEqualTo(
        record + ",\"fencing_token\":1,\"expires_at\":\"TIME\",\"already_held\":true,\"stolen\":false}");

    Answer seen = service.get("/locks/life");
    assertThat(seen.status()).isEqualTo(200);
    assertThat(seen.stable())
        .matches("\\Q" + record + ",\"state\":\"active\",\"age_seconds\":\\E\\d,\"expires_at\":\"TIME\""
            + ",\"fencing_token\":1,\"clock_skew\":false,\"waiters\":0,\"lock_path\":\"HOME/logs/locks/life.lock\",\"frozen\":null"
            + ",\"queue\":\\[\\]\\}");
    assertThat(service.get("/locks").stable()).contains(record);

    Answer renewed = service.post("/locks/life/heartbeat", "{\"request_id\":\"r1\",\"fencing_token\":1}");
    assertThat(renewed.status()).isEqualTo(200);
    assertThat(renewed.stable())
        .isEqualTo(record + ",\"fencing_token\":1,\"expires_at\":\"TIME\",\"late_by_seconds\":0}");

    Answer released = service.call("DELETE", "/locks/life?request_id=r1", "");
    assertThat(released.status()).isEqualTo(200);
    assertThat(released.stable()).matches("\\{\"lock_name\":\"life\",\"released\":true,\"held_duration_seconds\":\\d}");

    Answer gone = service.get("/locks/life");
    assertThat(gone.status()).isEqualTo(404);
    assertThat(gone.body()).isEqualTo("""
        {"type":"about:blank","title":"Not Found","status":404,"detail":"there is no lock life",\
        "error":"lock_not_found","lock_name":"life","suggestion":"list the locks",\
        "next_actions":[{"method":"GET","href":"/locks","command":"tower locks","why":"list the locks"}]}""");
    assertThat(service.call("DELETE", "/locks/life?request_id=r1", "").body()).isEqualTo(gone.body());
    assertThat(service.post("/locks/life/heartbeat", "{\"request_id\":\"r1\"}").body()).isEqualTo(gone.body());
  }

  @Test
  @DisplayName("An empty body acquires the lock for 15 minutes under a generated id")
  void defaults() {
    Answer granted = service.call("POST", "/locks/bare", "");

    assertThat(granted.status()).isEqualTo(201);
    assertThat(granted.stable()).contains("\"request_id\":\"RANDOM\"", "\"ttl_seconds\":900");
  }

  @Test
  @DisplayName("X-Actor adds on whose behalf the call is made and changes nothing else")
  void onBehalfOf() {
    Answer granted = service.call("POST", "/locks/behalf", "{\"request_id\":\"r1\",\"ttl_seconds\":60}", "Content-Type",
        "application/json", "X-Actor", "claude-code");

    assertThat(granted.stable()).startsWith(
        record("behalf", "r1", "{\"fencing_token\":1,\"on_behalf_of\":\"claude-code\"}"));
  }

  @Test
  @DisplayName("TF-4.4 a rejected caller gets the holder, even with force, and Retry-After")
  void blocked() {
    service.post("/locks/busy", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");

    for (String body : new String[]{"{}", "{\"force_lock\":true}"}) {
      Answer refused = service.post("/locks/busy", body);
      assertThat(refused.status()).isEqualTo(409);
      assertThat(Integer.parseInt(refused.header("Retry-After"))).isEqualTo(20);
      assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
      assertThat(refused.stable())
          .isEqualTo(conflict("lock busy is held by operator on tower-01 (intent manual, request r1)"
              + " for AGE, last heartbeat AGE ago",
              "\"error\":\"lock_blocked\",\"lock_name\":\"busy\",\"held_by\":" + HOLDER
                  + ",\"suggestion\":\"Wait for completion or use --force-lock if stale\",\"position\":1,"
                  + "\"retry_after_seconds\":20,\"next_actions\":["
                  + next("POST", "/locks/busy",
                      body.contains("force") ? "{\"force_lock\":true,\"wait_seconds\":600}" : "{\"wait_seconds\":600}",
                      "tower lock busy --wait 10m" + (body.contains("force") ? " --force-lock" : ""),
                      "wait for it")
                  + "," + look("busy") + "]"));
    }
  }

  @Test
  @DisplayName("A wait that times out is reported as such")
  void waitsInVain() {
    service.post("/locks/slow", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");

    Answer refused = service.post("/locks/slow", "{\"wait_seconds\":1}");

    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.header("Retry-After")).isEmpty();
    assertThat(refused.stable()).isEqualTo(
        conflict("lock slow was not free within 1s: held by operator on tower-01 (intent manual, request r1)",
            "\"error\":\"lock_wait_timeout\",\"lock_name\":\"slow\",\"held_by\":" + HOLDER
                + ",\"suggestion\":\"Wait for completion or use --force-lock if stale\",\"blocked_by\":\"lock_blocked\","
                + "\"position\":1,\"retry_after_seconds\":20,\"next_actions\":["
                + next("POST", "/locks/slow", "{\"wait_seconds\":3600}", "tower lock slow --wait 1h", "wait longer")
                + "," + look("slow") + "]"));
  }

  @Test
  @DisplayName("Only a waiting request can be withdrawn; those after it keep their places")
  void withdrawn() throws Exception {
    service.post("/locks/left", "{\"request_id\":\"r1\"}");
    CompletableFuture<Answer> second = service.later("/locks/left", "{\"request_id\":\"r2\",\"wait_seconds\":600}");
    Await.until("r2 waits", () -> service.get("/locks/left").body().contains("\"waiters\":1"));
    CompletableFuture<Answer> third = service.later("/locks/left", "{\"request_id\":\"r3\",\"wait_seconds\":600}");
    Await.until("r3 waits", () -> service.get("/locks/left").body().contains("\"waiters\":2"));

    Answer withdrawn = service.call("DELETE", "/locks/left/waiters/r2", "");
    assertThat(withdrawn.body())
        .isEqualTo("{\"lock_name\":\"left\",\"request_id\":\"r2\",\"withdrawn\":true}");
    assertThat(second.get().status()).isEqualTo(409);
    assertThat(second.get().body()).contains("\"error\":\"lock_request_withdrawn\"");
    for (String nobody : List.of("r1", "r2", "r9")) {
      Answer unknown = service.call("DELETE", "/locks/left/waiters/" + nobody, "");
      assertThat(unknown.status()).isEqualTo(404);
      assertThat(unknown.body()).contains("\"error\":\"not_waiting\"", "\"suggestion\":\"see who holds it");
    }

    assertThat(service.call("DELETE", "/locks/left?request_id=r1", "").status()).isEqualTo(200);
    assertThat(third.get().status()).isEqualTo(201);
  }

  @Test
  @DisplayName("A stale lock is taken by force only")
  void stale() {
    service.foreignLock("dead", secondsAgo(100), 10);

    Answer refused = service.post("/locks/dead", "{}");
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.header("Retry-After")).isEmpty();
    assertThat(refused.stable().replaceAll("\"age_seconds\":10\\d", "\"age_seconds\":100"))
        .isEqualTo(conflict("lock dead is stale: held by bob on tower-02 (intent deploy, request req_old)"
            + " for AGE, last heartbeat AGE ago, more than its ttl of 10s",
            "\"error\":\"lock_stale\",\"lock_name\":\"dead\",\"stale_since\":\"TIME\",\"age_seconds\":100,"
                + "\"ttl_seconds\":10,\"held_by\":" + BOB
                + ",\"suggestion\":\"Use --force-lock to acquire (stale lock will be logged)\",\"next_actions\":["
                + next("POST", "/locks/dead", "{\"force_lock\":true}", "tower lock dead --force-lock",
                    "take it, if its holder is really gone")
                + "," + look("dead") + "]"));

    Answer stolen = service.post("/locks/dead",
        "{\"request_id\":\"r1\",\"ttl_seconds\":60,\"force_lock\":true}");
    assertThat(stolen.status()).isEqualTo(201);
    assertThat(stolen.stable()).isEqualTo(record("dead", "r1", "{\"fencing_token\":1}")
        + ",\"fencing_token\":1,\"expires_at\":\"TIME\",\"already_held\":false,\"stolen\":true,\"stolen_from\":" + BOB
        + "}");
  }

  @Test
  @DisplayName("TF-3.6 a caller renews and releases only its own locks")
  void notOwner() {
    service.post("/locks/mine", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");
    String notYours = conflict(
        "lock mine is not yours: held by operator on tower-01 (intent manual, request r1)",
        "\"error\":\"not_lock_owner\",\"lock_name\":\"mine\",\"held_by\":" + HOLDER
            + ",\"suggestion\":\"stop the work under this lock\",\"next_actions\":[" + look("mine") + "]");

    Answer renewed = service.post("/locks/mine/heartbeat", "{\"request_id\":\"r2\"}");
    assertThat(renewed.status()).isEqualTo(409);
    assertThat(renewed.stable()).isEqualTo(notYours);

    Answer released = service.call("DELETE", "/locks/mine?request_id=r2", "");
    assertThat(released.status()).isEqualTo(409);
    assertThat(released.stable()).isEqualTo(notYours);

    Answer superseded = service.post("/locks/mine/heartbeat", "{\"request_id\":\"r1\",\"fencing_token\":9}");
    assertThat(superseded.status()).isEqualTo(409);
    assertThat(superseded.stable()).isEqualTo(conflict("lock mine was lost: its fencing token is 1 now",
        "\"error\":\"lock_lost\",\"lock_name\":\"mine\",\"fencing_token\":1,\"held_by\":" + HOLDER
            + ",\"suggestion\":\"stop the work under this lock\",\"next_actions\":[" + look("mine") + "]"));
  }

  @OneHost("a row is unreadable for other reasons than a file")
  @ParameterizedTest
  @DisplayName("An unreadable lock has no owner for any call")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
      "garbage | lock_corrupt | lock %s cannot be read, so it cannot be acquired: not a JSON object: not a value (at character 0)"
          + " | `\"problem\":\"not a JSON object: not a value (at character 0)\","
          + "\"suggestion\":\"Look at it; if it is not held, use force-release with a reason\"`",
      "{\"lock_version\":\"v9\"} | unsupported_lock_version | lock %s has version v9, which this program does not support"
          + " | `\"lock_version\":\"v9\","
          + "\"suggestion\":\"Upgrade this program; or, if it is not held, use force-release with a reason\"`"})
  void unreadable(String text, String error, String detail, String members) {
    String name = error.replace('_', '-');
    String reason = error.equals("lock_corrupt") ? "the lock cannot be read" : "version v9 is not supported";
    service.rawLock(name, text);
    String expected = conflict(detail.formatted(name),
        "\"error\":\"" + error + "\",\"lock_name\":\"" + name + "\"," + members
            + ",\"next_actions\":[" + look(name) + "," + next("POST", "/locks/" + name + "/force-release",
                "{\"reason\":\"" + reason + "\"}", "tower force-release " + name + " --reason '" + reason + "'",
                "remove it if it is not held")
            + "]");

    assertThat(service.post("/locks/" + name, "{\"force_lock\":true}"))
        .returns(409, Answer::status).returns(expected, Answer::body);
    assertThat(service.post("/locks/" + name + "/heartbeat", "{\"request_id\":\"r1\"}"))
        .returns(409, Answer::status).returns(expected, Answer::body);
    assertThat(service.call("DELETE", "/locks/" + name + "?request_id=r1", ""))
        .returns(409, Answer::status).returns(expected, Answer::body);

    Answer removed = service.post("/locks/" + name + "/force-release", "{\"reason\":\"it is garbage\"}");
    assertThat(removed).returns(200, Answer::status).returns("{\"lock_name\":\"" + name
        + "\",\"released\":true,\"previous_lock\":null,\"previous_lock_hash\":\"HASH\"}", Answer::stable);
  }

  @Test
  @DisplayName("An operator removes a lock with a reason, and the audit log has both")
  void forceRelease() {
    service.post("/locks/stuck", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");

    assertThat(service.post("/locks/stuck/force-release", "{}").body()).isEqualTo(
        """
            {"type":"about:blank","title":"Bad Request","status":400,"detail":"'reason' is missing",\
            "error":"invalid_request",\
            "suggestion":"send it as a string of 1 to 1000 characters that is not blank in the body",\
            "member":"reason",\
            "next_actions":[{"method":"GET","href":"/locks","command":"tower locks","why":"see what is there"}]}""");
    assertThat(service.post("/locks/stuck/force-release", "{\"reason\":\" \"}").body()).isEqualTo("""
        {"type":"about:blank","title":"Bad Request","status":400,\
        "detail":"'reason' must be a string of 1 to 1000 characters that is not blank, not '\\" \\"'",\
        "error":"invalid_request","suggestion":"correct the value or omit 'reason'","member":"reason",\
        "next_actions":[{"method":"GET","href":"/locks","command":"tower locks","why":"see what is there"}]}""");
    assertThat(service.post("/locks/stuck/force-release", "{\"reason\":\"host burnt\",\"request_id\":\"op-1\"}"))
        .returns(200, Answer::status).returns("{\"lock_name\":\"stuck\",\"released\":true,\"previous_lock\":" + HOLDER
            + ",\"previous_lock_hash\":\"HASH\"}", Answer::stable);
    assertThat(service.get("/audit?event=lock_force_released&lock_name=stuck").stable()).isEqualTo("""
        {"events":[{"event":"lock_force_released","request_id":"op-1","timestamp":"TIME","lock_name":"stuck",\
        "lock_path":"HOME/logs/locks/stuck.lock","reason":"host burnt","previous_lock":%s,\
        "previous_lock_hash":"HASH","actor":"operator","door":"http"}]}""".formatted(HOLDER));
    assertThat(service.post("/locks/stuck/force-release", "{\"reason\":\"again\"}").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @DisplayName("An invalid member is rejected by its name")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
      "{\"ttl_seconds\":0} | ttl_seconds | 'ttl_seconds' must be a whole number from 1 to 604800, not '0'",
      "{\"ttl_seconds\":-1} | ttl_seconds | 'ttl_seconds' must be a whole number from 1 to 604800, not '-1'",
      "{\"ttl_seconds\":604801} | ttl_seconds | 'ttl_seconds' must be a whole number from 1 to 604800, not '604801'",
      "{\"ttl_seconds\":900.5} | ttl_seconds | 'ttl_seconds' must be a whole number from 1 to 604800, not '900.5'",
      "{\"ttl_seconds\":\"900\"} | ttl_seconds | 'ttl_seconds' must be a whole number from 1 to 604800, not '\\\"900\\\"'",
      "{\"ttl_seconds\":1e20} | ttl_seconds | 'ttl_seconds' must be a whole number from 1 to 604800, not '1e20'",
      "{\"wait_seconds\":3601} | wait_seconds | 'wait_seconds' must be a whole number from 0 to 3600, not '3601'",
      "{\"force_lock\":\"yes\"} | force_lock | 'force_lock' must be true or false, not '\\\"yes\\\"'",
      "{\"intent\":7} | intent | 'intent' must be a string, not '7'",
      "{\"metadata\":[]} | metadata | 'metadata' must be an object, not a list"})
  void misfit(String body, String member, String detail) {
    Answer refused = service.post("/locks/never", body);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).isEqualTo("""
        {"type":"about:blank","title":"Bad Request","status":400,"detail":"%s","error":"invalid_request",\
        "suggestion":"correct the value or omit '%s'","member":"%s",\
        "next_actions":[{"method":"GET","href":"/locks","command":"tower locks","why":"see what is there"}]}"""
        .formatted(detail, member, member));
    assertThat(Files.exists(service.home().resolve("logs/locks/never.lock"))).isFalse();
  }

  @ParameterizedTest
  @DisplayName("An unknown member or parameter is rejected, and the nearest is named")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
      "POST | /locks/never | {\"ttl_second\":1} | there is no member 'ttl_second' | did you mean 'ttl_seconds'? | ttl_second",
      "POST | /locks/never/heartbeat | {\"x\":1} | there is no member 'x' | use one of request_id, fencing_token | x",
      "DELETE | /locks/never?request=r | `` | there is no parameter 'request' | did you mean 'request_id'? | request",
      "DELETE | /locks/never | `` | the parameter 'request_id' is missing | append ?request_id=… to the path | request_id",
      "DELETE | /locks/never?request_id=r&result=ok | `` | 'result' must be success, failure or aborted, not 'ok'"
          + " | correct the value or omit 'result' | result",
      "DELETE | /locks/never?request_id=r&request_id=s | `` | the parameter 'request_id' is given 2 times"
          + " | give it once | request_id"})
  void unknown(String method, String path, String body, String detail, String suggestion, String member) {
    Answer refused = service.call(method, path, body, "Content-Type", "application/json");

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.body()).isEqualTo("""
        {"type":"about:blank","title":"Bad Request","status":400,"detail":"%s","error":"invalid_request",\
        "suggestion":"%s","member":"%s",\
        "next_actions":[{"method":"GET","href":"/locks","command":"tower locks","why":"see what is there"}]}"""
        .formatted(detail, suggestion, member));
  }

  @ParameterizedTest
  @DisplayName("An invalid name, id or metadata is rejected with the remedy")
  @CsvSource(quoteCharacter = '`', delimiter = '|', value = {
      "/locks/Prod | {} | invalid_lock_name | lock name 'Prod' has an upper-case letter; did you mean 'prod'?",
      "/locks/never | {\"request_id\":\"-\"} | invalid_request"
          + " | request id '-' is not 1 to 128 of A-Z a-z 0-9 . _ : - beginning with a letter or digit",
      "/locks/never | {\"metadata\":{\"fencing_token\":9}} | invalid_request"
          + " | metadata may not have a member 'fencing_token': it is set by the service; use another name",
      "/locks/never | {\"metadata\":{\"held_for\":\"run\"}} | invalid_request"
          + " | metadata may not have a member 'held_for': it is set by the service; use another name"})
  void invalidValue(String path, String body, String error, String detail) {
    assertThat(service.post(path, body)).returns(400, Answer::status).returns("""
        {"type":"about:blank","title":"Bad Request","status":400,"detail":"%s","error":"%s",\
        "suggestion":"correct the value and call again",\
        "next_actions":[{"method":"GET","href":"/locks","command":"tower locks","why":"see what is there"}]}"""
        .formatted(detail, error), Answer::body);
  }
}

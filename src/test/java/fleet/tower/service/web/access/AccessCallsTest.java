package fleet.tower.service.web.access;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.access.Tokens;
import fleet.tower.access.file.AccessFiles;
import fleet.tower.harness.Await;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Authorization of HTTP calls")
class AccessCallsTest {
  private static final String BOB = tokenOf("bob");
  @AutoClose
  private final TestService service;

  AccessCallsTest(@TempDir Path home) {
    TestService.declare(home, "deploy-app", "mode: observe\nsteps: [{ name: s, run: [sleep, \"60\"] }]\n");
    TestService.declare(home, "ship", "mode: observe\nparams: { environment: { type: string,"
        + " enum: [staging, production], default: production }, size: { type: integer, default: 1 } }\n"
        + "steps: [{ name: s, run: [echo, x] }]\n");
    TestService.declare(home, "wipe", "mode: observe\nsteps: [{ name: s, run: [echo, x] }]\n");
    TestTokens.write(home, entry("ann", "agent", "") + entry("bob", "agent", "intents: [deploy-*]")
        + entry("ci", "agent", "intents: [{name: ship, params: {environment: [staging]}}]\nlocks: [ci-*]\n"
            + "mailboxes: [jobs-*]\ntasks: [shop]\nowner: ada\napprove: [ship]\nexpires: 2099-01-31T08:00:00Z")
        + entry("eve", "viewer", "") + entry("old", "operator", "expires: 2020-01-01T00:00:00Z"));
    service = new TestService(home);
  }

  private Answer ann(String method, String path, String body) {
    return service.callAs(tokenOf("ann"), method, path, body);
  }

  private Answer bob(String method, String path, String body) {
    return service.callAs(BOB, method, path, body);
  }

  private List<String> denials(String path) {
    return service.get("/audit?event=access_denied&limit=10000").body().lines()
        .flatMap(body -> Stream.of(body.split("(?<=}),"))).filter(line -> line.contains("\"path\":\"" + path + "\""))
        .map(line -> line.replaceAll(".*(\\{\"event\".*?}).*", "$1")
            .replaceAll("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "TIME"))
        .toList();
  }

  private static void assertForbidden(Answer answer, String reason, String detail) {
    assertThat(answer.body()).contains("\"error\":\"forbidden\"", "\"reason\":\"" + reason + "\"",
        "\"detail\":\"" + detail + "\"");
    assertThat(answer.status()).isEqualTo(403);
  }

  @Test
  @DisplayName("The actor is the token's name; X-Actor only adds on whose behalf, also for operators")
  void actor() {
    Answer lock = service.callAs(tokenOf("ann"), "POST", "/locks/actor", "{\"request_id\":\"a1\"}", "X-Actor", "carol");
    assertThat(lock.body()).contains("\"actor\":\"ann\"", "\"on_behalf_of\":\"carol\"");

    service.call("PUT", "/freezes/actor", "{\"ttl_seconds\":60,\"reason\":\"r\"}", "X-Actor", "carol", "Content-Type",
        "application/json");
    assertThat(service.get("/freezes").body()).contains("\"actor\":\"operator\",\"on_behalf_of\":\"carol\"");
    service.call("DELETE", "/freezes/actor", "", "X-Actor", "dave");
    service.call("POST", "/locks/actor/force-release", "{\"reason\":\"r\"}", "X-Actor", "carol", "Content-Type",
        "application/json");
    assertThat(service.get("/audit?lock_name=actor").body())
        .containsSubsequence("lock_frozen", "\"actor\":\"operator\",\"on_behalf_of\":\"carol\"", "lock_unfrozen",
            "\"actor\":\"operator\",\"on_behalf_of\":\"dave\"", "lock_force_released",
            "\"actor\":\"operator\",\"on_behalf_of\":\"carol\"");
  }

  @Test
  @DisplayName("The events of tasks and mailboxes also show on whose behalf an agent acts")
  void onBehalf() {
    String[] carol = {"X-Actor", "carol"};
    String ann = tokenOf("ann");
    service.callAs(ann, "POST", "/tasks", "{\"agent\":\"ann\",\"request_id\":\"c\",\"id\":\"t1\",\"title\":\"t\"}",
        carol);
    service.callAs(ann, "POST", "/tasks/t1/start", "{\"agent\":\"ann\",\"request_id\":\"s\"}", carol);
    service.callAs(ann, "POST", "/tasks/t1/close",
        "{\"agent\":\"ann\",\"request_id\":\"e\",\"attempt\":1,\"outcome\":\"done\"}", carol);
    assertThat(service.get("/audit?event=task_claimed").body())
        .contains("\"agent\":\"ann\",\"attempt\":1,\"actor\":\"ann\",\"on_behalf_of\":\"carol\",\"door\":\"http\"}");
    assertThat(service.get("/audit?event=task_closed").body())
        .contains("\"outcome\":\"done\",\"actor\":\"ann\",\"on_behalf_of\":\"carol\",\"door\":\"http\"}");

    service.callAs(ann, "POST", "/mailboxes/box/messages", "{\"body\":1}");
    String receipt = service.callAs(ann, "POST", "/mailboxes/box/receive", "").body()
        .replaceAll("(?s).*\"receipt_handle\":\"([^\"]*)\".*", "$1");
    service.callAs(ann, "POST", "/mailboxes/box/reject",
        "{\"receipt_handle\":\"" + receipt + "\",\"error\":\"no use\"}", carol);
    service.callAs(ann, "POST", "/mailboxes/box/dead/revive", "", carol);
    service.callAs(ann, "DELETE", "/mailboxes/box/messages", "", "X-Actor", "dave");
    assertThat(service.get("/audit?event=message_dead").body())
        .contains("\"error\":\"no use\",\"actor\":\"ann\",\"on_behalf_of\":\"carol\",\"door\":\"http\"}");
    assertThat(service.get("/audit?event=mailbox_revived").body())
        .contains("\"messages\":1,\"message_ids\":[],\"actor\":\"ann\",\"on_behalf_of\":\"carol\",\"door\":\"http\"}");
    assertThat(service.get("/audit?event=mailbox_purged").body())
        .contains("\"dead\":false,\"messages\":1,\"actor\":\"ann\",\"on_behalf_of\":\"dave\",\"door\":\"http\"}");
  }

  @Test
  @DisplayName("An agent renews, releases and re-enters only its own locks, though it can see every request id")
  void ownLocks() {
    ann("POST", "/locks/anns", "{\"request_id\":\"r1\",\"ttl_seconds\":60}");

    assertForbidden(bob("POST", "/locks/anns/heartbeat", "{\"request_id\":\"r1\"}"), "not_yours",
        "'bob' has role agent and may not renew lock anns, which belongs to 'ann'; that needs the role operator");
    assertForbidden(bob("DELETE", "/locks/anns?request_id=r1", ""), "not_yours",
        "'bob' has role agent and may not release lock anns, which belongs to 'ann'; that needs the role operator");
    Answer entering = bob("POST", "/locks/anns", "{\"request_id\":\"r1\"}");
    assertThat(entering.status()).isEqualTo(409);
    assertThat(entering.body()).contains("\"error\":\"lock_blocked\"", "\"actor\":\"ann\"");
    assertForbidden(bob("POST", "/locks/anns", "{\"force_lock\":true}"), "role_too_low",
        "'bob' has role agent and may not take a lock by force; that needs the role operator");
    assertThat(bob("POST", "/locks/anns", "{\"request_id\":\"r2\"}").status()).isEqualTo(409);
    assertThat(ann("POST", "/locks/anns/heartbeat", "{\"request_id\":\"r1\"}").status()).isEqualTo(200);
    assertThat(denials("/locks/anns/heartbeat")).containsExactly("{\"event\":\"access_denied\",\"timestamp\":\"TIME\","
        + "\"remote\":\"127.0.0.1\",\"method\":\"POST\",\"path\":\"/locks/anns/heartbeat\","
        + "\"reason\":\"not_yours\",\"actor\":\"bob\",\"door\":\"http\"}");
    assertThat(service.call("DELETE", "/locks/anns?request_id=r1", "").status()).isEqualTo(200);
  }

  @Test
  @DisplayName("An agent withdraws only its own waits")
  void ownWaits() {
    ann("POST", "/locks/waited", "{\"request_id\":\"h\",\"ttl_seconds\":60}");
    var waiting = service.client().sendAsync(service.request("/locks/waited")
        .header("Authorization", "Bearer " + tokenOf("ann")).header("Content-Type", "application/json")
        .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{\"request_id\":\"w\",\"wait_seconds\":60}")).build(),
        java.net.http.HttpResponse.BodyHandlers.ofString());
    Await.until("it waits", () -> service.get("/locks/waited").body().contains("\"waiters\":1"));

    assertThat(bob("DELETE", "/locks/waited/waiters/w", "").status()).isEqualTo(404);
    assertThat(ann("DELETE", "/locks/waited/waiters/w", "").status()).isEqualTo(200);
    assertThat(waiting.join().statusCode()).isEqualTo(409);
  }

  @Test
  @DisplayName("An agent stops and renews only its own runs; an operator stops any")
  void ownRuns() {
    assertThat(service.callAs(BOB, "POST", "/intents/deploy-app", "{\"request_id\":\"bobs\"}", "Prefer",
        "respond-async").status()).isEqualTo(202);

    assertForbidden(ann("POST", "/runs/bobs/cancel", "{}"), "not_yours",
        "'ann' has role agent and may not cancel run bobs, which belongs to 'bob'; that needs the role operator");
    assertForbidden(ann("POST", "/runs/bobs/beat", "{}"), "not_yours",
        "'ann' has role agent and may not report progress of run bobs, which belongs to 'bob'; that needs the role operator");
    assertThat(service.post("/runs/bobs/cancel", "{}").status()).isEqualTo(202);
  }

  @Test
  @DisplayName("A token for some intents plans, runs, queues and creates tasks for only those")
  void intents() {
    String detail = "'bob' may run deploy-*, but not 'wipe'";
    assertForbidden(bob("POST", "/intents/wipe", "{}"), "intent_not_allowed", detail);
    assertForbidden(bob("POST", "/intents/wipe", "{\"queue\":true}"), "intent_not_allowed", detail);
    assertForbidden(bob("POST", "/intents/wipe/plan", "{}"), "intent_not_allowed", detail);
    assertForbidden(bob("POST", "/tasks",
        "{\"agent\":\"bob\",\"request_id\":\"t\",\"title\":\"t\",\"intent\":\"wipe\"}"), "intent_not_allowed", detail);
    assertThat(bob("POST", "/intents/deploy-app/plan", "{}").status()).isEqualTo(200);
    assertThat(ann("POST", "/intents/wipe", "{}").status()).isEqualTo(200);
    assertThat(bob("GET", "/intents/wipe", "").status()).isEqualTo(200);
  }

  private Answer ci(String method, String path, String body) {
    return service.callAs(tokenOf("ci"), method, path, body);
  }

  @Test
  @DisplayName("A token for some parameter values plans, runs, queues and creates tasks with only those; a default counts")
  void params() {
    String detail = "'ci' may run 'ship' only with environment staging";
    String production = "{\"params\":{\"environment\":\"production\"}}";
    assertForbidden(ci("POST", "/intents/ship", production), "params_not_allowed", detail);
    assertForbidden(ci("POST", "/intents/ship", "{}"), "params_not_allowed", detail);
    assertForbidden(ci("POST", "/intents/ship", "{\"queue\":true}"), "params_not_allowed", detail);
    assertForbidden(ci("POST", "/intents/ship/plan", production), "params_not_allowed", detail);
    String task = "{\"agent\":\"ci\",\"request_id\":\"t1\",\"title\":\"t\",\"intent\":\"ship\"";
    assertForbidden(ci("POST", "/tasks", task + "}"), "params_not_allowed", detail);
    assertThat(denials("/intents/ship/plan")).containsExactly("{\"event\":\"access_denied\",\"timestamp\":\"TIME\","
        + "\"remote\":\"127.0.0.1\",\"method\":\"POST\",\"path\":\"/intents/ship/plan\","
        + "\"reason\":\"params_not_allowed\",\"actor\":\"ci\",\"door\":\"http\"}");

    String staging = "{\"params\":{\"environment\":\"staging\",\"size\":7}}";
    assertThat(ci("POST", "/intents/ship", staging).body()).contains("\"status\":\"succeeded\"");
    assertThat(ci("POST", "/intents/ship/plan", staging).status()).isEqualTo(200);
    assertThat(ci("POST", "/tasks", task + ",\"params\":{\"environment\":\"staging\"}}").status()).isEqualTo(201);
    assertThat(ci("POST", "/intents/ship", "{\"params\":{\"environment\":\"stagin\"}}").body())
        .contains("\"error\":\"invalid_params\"");
    assertThat(ann("POST", "/intents/ship", "{}").body()).contains("\"status\":\"succeeded\"");
  }

  @Test
  @DisplayName("A token for some locks holds and renews only those itself; it still releases what it holds")
  void lockNames() {
    String detail = "'ci' may hold the locks ci-*, but not 'prod'";
    assertForbidden(ci("POST", "/locks/prod", "{}"), "lock_not_allowed", detail);
    assertForbidden(ci("POST", "/locks/prod/heartbeat", "{\"request_id\":\"r\"}"), "lock_not_allowed", detail);
    assertThat(ci("POST", "/locks/ci-1", "{\"request_id\":\"r\"}").status()).isEqualTo(201);
    assertThat(ci("POST", "/locks/ci-1/heartbeat", "{\"request_id\":\"r\"}").status()).isEqualTo(200);
    assertThat(ci("DELETE", "/locks/ci-1?request_id=r", "").status()).isEqualTo(200);
    assertThat(ci("DELETE", "/locks/prod?request_id=r", "").status()).isEqualTo(404);
    assertThat(ci("POST", "/locks/Prod", "{}").body()).contains("\"error\":\"invalid_lock_name\"");
  }

  @Test
  @DisplayName("Each caller sees its own name and rights, and which intents it may run")
  void me() {
    assertThat(ci("GET", "/me", "").body()).isEqualTo("{\"name\":\"ci\",\"principal\":\"ada\","
        + "\"role\":\"agent\",\"on_behalf_of\":null,"
        + "\"intents\":[{\"name\":\"ship\",\"params\":{\"environment\":[\"staging\"]}}],\"locks\":[\"ci-*\"],"
        + "\"mailboxes\":[\"jobs-*\"],\"tasks\":[\"shop\"],\"approve\":[\"ship\"],\"may_force\":false,\"expires_at\":\"2099-01-31T08:00:00Z\"}");
    assertThat(service.callAs(tokenOf("eve"), "GET", "/me", "", "X-Actor", "carol").body())
        .isEqualTo(
            "{\"name\":\"eve\",\"principal\":\"eve\",\"role\":\"viewer\",\"on_behalf_of\":\"carol\",\"intents\":[],\"locks\":[],"
                + "\"mailboxes\":[],\"tasks\":[],\"approve\":[],\"may_force\":false,\"expires_at\":null}");
    assertThat(service.get("/me").body()).isEqualTo("{\"name\":\"operator\",\"principal\":\"operator\","
        + "\"role\":\"operator\",\"on_behalf_of\":null,\"intents\":[{\"name\":\"*\",\"params\":{}}],\"locks\":[\"*\"],\"mailboxes\":[\"*\"],"
        + "\"tasks\":[\"*\"],\"approve\":[],\"may_force\":true,"
        + "\"expires_at\":null}");
    assertThat(ci("GET", "/intents/ship", "").body()).contains("\"allowed\":true");
    assertThat(ci("GET", "/intents/wipe", "").body()).contains("\"allowed\":false");
    assertThat(ci("GET", "/intents", "").body()).containsSubsequence("\"name\":\"ship\"", "\"allowed\":true",
        "\"name\":\"wipe\"", "\"allowed\":false");
    assertThat(service.callAs(tokenOf("eve"), "GET", "/intents/ship", "").body()).contains("\"allowed\":false");
    assertThat(ann("GET", "/intents/wipe", "").body()).contains("\"allowed\":true");
  }

  @Test
  @DisplayName("Tokens are rotated without a restart and without a refused call")
  void rotated() {
    Tokens tokens = new AccessFiles(service.home().resolve("state"), service.home().resolve("config"),
        SystemTime.source(), _ -> {}).tokens(new SecureRandom());
    String first = tokens.issue(new Tokens.TokenRequest("kim", null, Role.AGENT, Scope.ALL, null)).token();
    for (int i = 0; i < 5; i++) {
      String next = tokens.rotate("kim", new Tokens.Rotation(Duration.ofHours(1), null)).orElseThrow().token();
      for (String token : List.of(next, first)) {
        assertThat(service.callAs(token, "GET", "/me", "").status()).isEqualTo(200);
      }
    }
    assertThat(tokens.list()).filteredOn(grant -> grant.name().equals("kim")).singleElement()
        .satisfies(grant -> assertThat(grant.generations().map(tokens::lastUse)).hasSize(6)
            .allMatch(Optional::isPresent));
  }

  @Test
  @DisplayName("A rejected caller is audited: its name if known, the call, the address, the reason; never its token")
  void audited() throws Exception {
    service.sendFrom("127.0.3.1", service.request("/runs?x=tower_secret").build());
    service.sendFrom("127.0.3.2", service.request("/runs").header("Authorization", "Bearer tower_secret").build());
    Answer old = service.sendFrom("127.0.3.3",
        service.request("/runs").header("Authorization", "Bearer " + tokenOf("old")).build());

    assertThat(old.body()).contains("the token 'old' expired at 2020-01-01T00:00:00Z");
    assertThat(denials("/runs")).containsExactly(
        "{\"event\":\"access_denied\",\"timestamp\":\"TIME\",\"remote\":\"127.0.3.1\",\"method\":\"GET\","
            + "\"path\":\"/runs\",\"reason\":\"missing_token\"}",
        "{\"event\":\"access_denied\",\"timestamp\":\"TIME\",\"remote\":\"127.0.3.2\",\"method\":\"GET\","
            + "\"path\":\"/runs\",\"reason\":\"unknown_token\"}",
        "{\"event\":\"access_denied\",\"timestamp\":\"TIME\",\"remote\":\"127.0.3.3\",\"method\":\"GET\","
            + "\"path\":\"/runs\",\"reason\":\"expired_token\",\"actor\":\"old\",\"door\":\"http\"}");
    try (Stream<Path> days = Files.list(service.home().resolve("logs/audit"))) {
      for (Path day : days.toList()) {
        assertThat(Files.readString(day)).doesNotContain("tower_secret").doesNotContain(service.token());
      }
    }
  }

  @Test
  @DisplayName("After ten bad tokens in a minute an address must wait, and a valid token from there is still accepted")
  void limited() {
    for (int i = 0; i < 10; i++) {
      assertThat(service.sendFrom("127.0.4.1", service.request("/mailboxes").build()).status()).isEqualTo(401);
    }
    for (int i = 0; i < 5; i++) {
      Answer answer = service.sendFrom("127.0.4.1", service.request("/mailboxes").build());
      assertThat(answer.status()).isEqualTo(429);
      assertThat(answer.body()).contains("\"error\":\"too_many_bad_tokens\"");
      assertThat(Integer.parseInt(answer.header("Retry-After"))).isBetween(1, 61);
    }
    assertThat(denials("/mailboxes")).hasSize(11).last().asString().contains("\"reason\":\"too_many_bad_tokens\"");
    assertThat(service.sendFrom("127.0.4.1", service.request("/mailboxes").header("Authorization", "Bearer " + BOB)
        .build()).status()).isEqualTo(200);
    assertThat(service.sendFrom("127.0.4.2", service.request("/mailboxes").build()).status()).isEqualTo(401);
  }

  private static void assertClosed(Answer answer) {
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
    assertThat(answer.header("Content-Security-Policy")).isEqualTo("default-src 'none'; frame-ancestors 'none'");
    assertThat(answer.header("Referrer-Policy")).isEqualTo("no-referrer");
    assertThat(answer.headers()).doesNotContainKeys("set-cookie", "server", "x-powered-by",
        "strict-transport-security", "access-control-allow-origin");
  }

  @Test
  @DisplayName("Every answer has the security headers for browsers, and sets no cookie")
  void headers() {
    for (String path : List.of("/locks", "/nowhere", "/actuator/health", "/audit", "/locks/A")) {
      assertClosed(service.get(path));
      assertClosed(service.sendFrom("127.0.5.1", service.request(path).build()));
    }
    assertClosed(service.post("/locks/x", "{"));
    assertClosed(service.call("OPTIONS", "/locks", "", "Origin", "http://evil.example",
        "Access-Control-Request-Method", "GET"));
  }

  @ParameterizedTest
  @DisplayName("TRACE and unknown methods are rejected, before any token is checked")
  @ValueSource(strings = {"TRACE", "PROPFIND", "CONNECT", "FOO", "PATCH"})
  void methods(String method) throws Exception {
    URI url = URI.create(service.url());
    try (Socket socket = new Socket(url.getHost(), url.getPort());
        OutputStream out = socket.getOutputStream();
        InputStream in = socket.getInputStream()) {
      socket.setSoTimeout((int) Await.LIMIT.toMillis());
      out.write((method + " /locks HTTP/1.1\r\nHost: h\r\nX-Secret: echo\r\nConnection: close\r\n\r\n")
          .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer).containsPattern("^HTTP/1.1 (405|400|501) ").contains("X-Content-Type-Options: nosniff")
          .doesNotContain("echo", "Exception", "<html");
    }
  }
}

package fleet.tower.service.web.access;

import static fleet.tower.service.web.access.TestTokens.entry;
import static fleet.tower.service.web.access.TestTokens.tokenOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.platform.time.Timestamps;
import fleet.tower.service.call.CallsThatWait;
import fleet.tower.service.config.TestService;

/** All tests share one service; each revokes tokens of its own, and leaves the others valid. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("Calls with a revoked or expired token")
class RevocationTest {
  private static final String ENDED = ": the token was revoked or has expired\n\n";
  private final Path home;
  private final TestService service;
  private final Map<String, String> entries = new TreeMap<>();

  RevocationTest(@TempDir Path home) {
    this.home = home;
    TestService.declare(home, "long", "mode: observe\nsteps: [{ name: s, run: [sleep, \"600\"] }]\n");
    TestService.declare(home, "locked",
        "mode: mutate\ncontrols: { lock: waited }\nsteps: [{ name: s, run: [echo, ran] }]\n");
    for (String agent : List.of("bob", "waiting", "gone", "edited")) {
      entries.put(agent, entry(agent, "agent", ""));
    }
    for (String viewer : List.of("streaming", "expiring")) {
      entries.put(viewer, entry(viewer, "viewer", ""));
    }
    TestTokens.write(home, tokens());
    service = new TestService(home);
  }

  @AfterAll
  void stop() {
    service.post("/runs/long-run/cancel", "{}");
    service.post("/runs/awaited-run/cancel", "{}");
    service.close();
  }

  /** The text of the tokens file. */
  private String tokens() {
    return String.join("", entries.values());
  }

  /** Removes a token from the file. */
  private void revoke(String name) {
    entries.remove(name);
    TestTokens.write(home, tokens());
  }

  /** An open stream. */
  private InputStream stream(String owner, String path) throws Exception {
    HttpResponse<InputStream> response = service.client().send(
        service.request(path).header("Authorization", "Bearer " + tokenOf(owner))
            .header("Accept", "text/event-stream").build(),
        BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  private static String rest(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
  }

  private CompletableFuture<HttpResponse<String>> wait(String path, String body) {
    return service.client().sendAsync(
        service.request(path).header("Authorization", "Bearer " + tokenOf("waiting"))
            .header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  private void bob(String method, String path, String body) {
    assertThat(service.callAs(tokenOf("bob"), method, path, body, "Prefer", "respond-async").status()).isBetween(200,
        202);
  }

  @Test
  @DisplayName("Streams of the audit log, of a run and of a task end with the reason, and contain nothing later")
  void streams() throws Exception {
    bob("POST", "/intents/long", "{\"request_id\":\"long-run\"}");
    bob("POST", "/tasks", "{\"agent\":\"bob\",\"request_id\":\"c\",\"id\":\"t1\",\"title\":\"t\"}");
    List<InputStream> streams = List.of(stream("streaming", "/audit/stream"),
        stream("streaming", "/runs/long-run/events"), stream("streaming", "/tasks/t1/events"));

    revoke("streaming");
    for (InputStream stream : streams) {
      assertThat(rest(stream)).startsWith(": connected\n\n").endsWith(ENDED);
    }
  }

  @Test
  @DisplayName("A stream ends when its token expires, without a change of the file")
  void expires() throws Exception {
    InputStream stream = stream("expiring", "/audit/stream");
    String end = Timestamps.format(Timestamps.wholeSecond(SystemTime.source().now().plus(Duration.ofSeconds(3))));
    entries.put("expiring", entry("expiring", "viewer", "expires: " + end));
    revoke("gone");
    Await.until("the file is known",
        () -> service.callAs(tokenOf("gone"), "GET", "/locks", "").status() == 401);
    assertThat(rest(stream)).endsWith(ENDED);
    assertThat(service.callAs(tokenOf("expiring"), "GET", "/locks", "").status()).isEqualTo(401);
  }

  @Test
  @DisplayName("Waiting calls end with 401, and get no lock, no message and no run")
  void waits() {
    bob("POST", "/locks/waited", "{\"request_id\":\"holder\",\"ttl_seconds\":600}");
    var lock = wait("/locks/waited", "{\"request_id\":\"r1\",\"wait_seconds\":600}");
    var message = wait("/mailboxes/box/receive", "{\"request_id\":\"r2\",\"wait_time_seconds\":600}");
    var run = wait("/intents/locked", "{\"request_id\":\"r3\",\"wait_seconds\":600}");
    var end = wait("/intents/long", "{\"request_id\":\"awaited-run\"}");
    Await.until("both wait for the lock", () -> service.get("/locks/waited").body().contains("\"waiters\":2"));
    Await.until("the run has begun", () -> service.get("/runs/awaited-run").body().contains("\"running\""));
    Await.until("all of them wait", () -> CallsThatWait.at(service) == 4);

    revoke("waiting");
    assertThat(List.of(lock, message, run, end)).allSatisfy(it -> {
      assertThat(it.join().statusCode()).as(it.join().body()).isEqualTo(401);
      assertThat(it.join().body()).contains("\"error\":\"unauthorized\"",
          "your token was revoked or has expired while the call waited");
    });
    bob("POST", "/mailboxes/box/messages", "{\"id\":\"m\",\"body\":1}");
    bob("DELETE", "/locks/waited?request_id=holder", "");
    Await.until("the run that waited is cancelled",
        () -> service.get("/runs/r3").body().contains("\"status\":\"cancelled\""));
    assertThat(service.get("/runs/awaited-run").body()).contains("\"status\":\"running\"");
    assertThat(service.get("/locks/waited").status()).isEqualTo(404);
    assertThat(service.get("/mailboxes/box").body()).contains("\"ready\":1");
    assertThat(service.callAs(tokenOf("bob"), "POST", "/mailboxes/box/receive", "{}").body())
        .contains("\"delivery_count\":1");
    assertThat(service.get("/audit?lock_name=waited&event=lock_acquired").body()).doesNotContain("\"r1\"", "\"r3\"");
  }

  @Test
  @DisplayName("A revocation takes effect without calls, and a broken file does not undo it")
  void mistakes() throws Exception {
    assertThat(service.callAs(tokenOf("edited"), "GET", "/locks", "").status()).isEqualTo(200);
    entries.remove("edited");
    Path file = TestTokens.write(home, tokens());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    Await.until("it is detected", () -> printed("is readable by everyone"));
    Files.writeString(file, tokens() + "- nmae: typo\n");
    Await.until("the error is detected", () -> printed("unknown key 'nmae'"));

    assertThat(service.callAs(tokenOf("edited"), "GET", "/locks", "").status()).isEqualTo(401);
    assertThat(service.callAs(tokenOf("bob"), "GET", "/locks", "").status()).isEqualTo(200);
  }

  private boolean printed(String text) {
    return service.printed().stream().anyMatch(line -> line.contains(text));
  }
}

package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.sql.StallingProxy;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.web.access.TestTokens;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("tower token in a fleet of two services")
class TokenFleetTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final int MOST_ATTEMPTS = 50;

  private final String url = PostgresServer.newDatabase();
  private final StallingProxy wire = new StallingProxy(url);
  private final TestService one;
  private final TestService two;
  private final TestHome here;
  private final TestHome there;

  TokenFleetTest(@TempDir Path directory) {
    one = service(directory.resolve("one"), url, "tower-01");
    two = service(directory.resolve("two"), wire.url(), "tower-02");
    here = new TestHome(one.home()).with("TOWER_DATABASE_URL", url);
    there = new TestHome(two.home()).with("TOWER_DATABASE_URL", url).with("TOWER_HOST_ID", "tower-02");
  }

  private static TestService service(Path home, String url, String host) {
    return new TestService(home, "--tower.database.url=" + url, "--tower.host-id=" + host);
  }

  @AfterAll
  void close() {
    two.close();
    one.close();
    wire.close();
  }

  private static int status(TestService service, String token) {
    return service.callAs(token, "GET", "/me", "").status();
  }

  private String create(String name, String... more) {
    String[] line = {"token", "create", name, "--role", "viewer"};
    Outcome created = here.run(Stream.of(line, more).flatMap(Arrays::stream)
        .toArray(String[]::new));
    assertThat(created.exit()).as(created.err()).isZero();
    return created.out().strip();
  }

  @Test
  @DisplayName("A token that is created on one host is accepted by both services at once, and a revocation ends it on "
      + "both within a second, with its streams")
  void everywhere() throws Exception {
    // It is repeated until it is in time, because the machine has other work.
    int attempt = 1;
    while (refusal("everywhere-" + attempt).compareTo(SECOND) > 0) {
      attempt++;
      assertThat(attempt).isLessThan(MOST_ATTEMPTS);
    }
    assertThat(here.tower("token revoke everywhere-" + attempt).exit()).isEqualTo(3);
  }

  /** Creates a token, revokes it, and returns the time until both services refuse it. */
  private Duration refusal(String name) throws Exception {
    String token = create(name);
    assertThat(status(two, token)).isEqualTo(200);
    assertThat(status(one, token)).isEqualTo(200);
    HttpResponse<InputStream> stream = two.client().send(two.request("/audit/stream")
        .header("Authorization", "Bearer " + token).header("Accept", "text/event-stream").build(),
        BodyHandlers.ofInputStream());
    assertThat(stream.statusCode()).isEqualTo(200);

    assertThat(there.tower("token revoke " + name).err()).isEqualTo("the token of '" + name
        + "' is revoked; streams and waiting calls end within a second, runs continue\n");
    long begun = SystemTime.source().nanos();
    Await.until("it is refused", () -> status(one, token) == 401 && status(two, token) == 401);
    Duration passed = Duration.ofNanos(SystemTime.source().nanos() - begun);
    try (InputStream body = stream.body()) {
      assertThat(new String(body.readAllBytes(), StandardCharsets.UTF_8))
          .endsWith(": the token was revoked or has expired\n\n");
    }
    assertThat(here.audit().toString()).contains("\"event\":\"token_created\"").doesNotContain(token);
    return passed;
  }

  @Test
  @DisplayName("list shows the tokens of the fleet and of this host's file; --local means the file")
  void places() throws Exception {
    create("of-fleet");
    String own = create("of-file", "--local");
    assertThat(status(one, own)).isEqualTo(200);
    assertThat(status(two, own)).isEqualTo(401);
    assertThat(here.tower("token list").out().lines().map(line -> line.replaceAll("  +", "|")))
        .anyMatch("NAME|ROLE|OWNER|INTENTS|LOCKS|MAILBOXES|TASKS|APPROVES|CREATED|LAST USED|EXPIRES|WHERE"::equals)
        .anyMatch(line -> line.matches("operator\\|operator(?:\\|-){6}\\|\\S+\\|\\S+\\|never\\|fleet"))
        .anyMatch(line -> line.matches("of-fleet\\|viewer(?:\\|-){6}\\|\\S+\\|never\\|never\\|fleet"))
        .anyMatch(line -> line.matches("of-file\\|viewer(?:\\|-){6}\\|\\S+\\|\\S+Z\\|never\\|file"));
    assertThat(here.tower("token list --json").data().raw()).contains("\"name\":\"of-fleet\"",
        "\"where\":\"fleet\"}", "\"where\":\"file\"}", "\"host_id\":\"tower-0");
    assertThat(here.tower("token list --local").out()).contains("of-file").doesNotContain("of-fleet", "operator");
    assertThat(there.tower("token list").out()).contains("of-fleet").doesNotContain("of-file");

    assertThat(here.tower("token create of-file --role viewer").err()).startsWith("tower: a token 'of-file' exists in"
        + " config/tokens.yaml of this host; choose another name, or revoke it first with `tower token revoke of-file"
        + " --local`");
    assertThat(here.tower("token create of-fleet --role viewer --local").err()).startsWith("tower: a token 'of-fleet'"
        + " exists in the database of the fleet; choose another name, or revoke it first with `tower token revoke"
        + " of-fleet`");
    assertThat(here.tower("token rotate of-file").err())
        .isEqualTo("tower: there is no token 'of-file'\n  it is in config/tokens.yaml of this host; add --local\n");
    assertThat(here.tower("token rotate of-fleet --local").err())
        .isEqualTo("tower: there is no token 'of-fleet'\n  it is in the database of the fleet; omit --local\n");

    TestTokens.write(two.home(), TestTokens.entry("of-fleet", "viewer", ""));
    assertThat(there.tower("doctor").out()).contains("'of-fleet' is also in the file of this host");
    assertThat(there.tower("token revoke of-fleet").err()).endsWith("another token 'of-fleet' is in config/tokens.yaml"
        + " of this host and stays valid; revoke it with `tower token revoke of-fleet --local`\n");
    Files.delete(two.home().resolve("config/tokens.yaml"));
    here.tower("token revoke of-file --local");
    assertThat(one.home().resolve("config/tokens.yaml")).content().doesNotContain("of-file");
  }

  @Test
  @DisplayName("The operator's token is rotated for both services; the file of the other host is stale, and adopted on "
      + "request")
  void operator() throws Exception {
    String old = one.token();
    assertThat(status(two, old)).isEqualTo(200);
    Outcome rotated = there.tower("token rotate operator");
    assertThat(rotated.err()).isEqualTo("the operator has a new token, in this file of this host only; the previous one"
        + " is no longer valid\n");
    String fresh = text(two.home().resolve("state/token"));
    Await.until("only the new one is accepted", () -> status(one, fresh) == 200 && status(two, fresh) == 200
        && status(one, old) == 401 && status(two, old) == 401);
    assertThat(here.tower("doctor").out()).contains("the operator's token in " + one.home().resolve("state/token")
        + " is not accepted: that of this fleet is on host tower-02, created at ");
    assertThat(there.tower("doctor").out()).matches("(?s).*\\nok +fleet operator +on this host\n.*");
    assertThat(here.tower("token rotate operator --local").exit()).isEqualTo(64);
    assertThat(here.tower("token rotate ci --adopt").exit()).isEqualTo(64);

    assertThat(here.tower("token rotate operator --adopt").err())
        .isEqualTo("the operator's token is now the one in this file; the previous one is no longer valid\n");
    Await.until("the first one is accepted", () -> status(two, old) == 200 && status(two, fresh) == 401);
    assertThat(here.tower("token rotate operator --adopt").err())
        .isEqualTo("the token of this host is already the operator's\n");
    assertThat(here.tower("token revoke operator").exit()).isEqualTo(3);
  }

  @Test
  @DisplayName("A service that is cut off from the database accepts the tokens that it knows, refuses others with 401, "
      + "and learns of a revocation afterwards")
  void cutOff() {
    String known = create("known");
    assertThat(status(two, known)).isEqualTo(200);
    wire.stall();
    try {
      here.tower("token revoke known");
      String unknown = create("unknown");
      assertThat(status(two, known)).isEqualTo(200);
      assertThat(status(two, unknown)).isEqualTo(401);
      assertThat(status(two, "garbage")).isEqualTo(401);
      assertThat(status(one, known)).isEqualTo(401);
    } finally {
      wire.goOn();
    }
    Await.until("the revocation has arrived", () -> status(two, known) == 401);
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file).strip();
  }
}

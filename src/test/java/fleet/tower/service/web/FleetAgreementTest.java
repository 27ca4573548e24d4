package fleet.tower.service.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.harness.Await;
import fleet.tower.home.Home;
import fleet.tower.platform.Finding;
import fleet.tower.platform.sql.DirectTables;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@DisplayName("Hosts with different labels and different versions of an intent, on one PostgreSQL database")
class FleetAgreementTest {
  private static final String ASYNC = "respond-async";
  private static String url = "";
  private static Path directory = Path.of("");
  private static final List<TestService> OPEN = new ArrayList<>();
  private static TestService one;
  private static TestService two;

  @BeforeAll
  static void start(@TempDir Path temporary) {
    directory = temporary;
    url = PostgresServer.newDatabase();
    one = service("tower-01", "first", "");
    two = service("tower-02", "second", "db-admin,eu");
    // Remembers how often each message was delivered until it was acknowledged.
    DirectTables tables = new DirectTables(url);
    tables.change("CREATE TABLE delivered (id TEXT, deliveries BIGINT)");
    tables.change("CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS"
        + " 'BEGIN INSERT INTO delivered VALUES (OLD.id, OLD.delivery_count); RETURN OLD; END'");
    tables.change("CREATE TRIGGER remember BEFORE DELETE ON mailbox_messages FOR EACH ROW EXECUTE FUNCTION remember()");
  }

  @AfterAll
  static void close() {
    OPEN.reversed().forEach(TestService::close);
  }

  /** A service whose intent {@code who} has a word of its own in its script. */
  private static TestService service(String host, String word, String labels) {
    Path home = directory.resolve(host);
    declare(home, word);
    List<String> settings = new ArrayList<>(
        List.of("--tower.database.url=" + url, "--tower.host-id=" + host, "--tower.queue.workers=3"));
    if (!labels.isEmpty()) {
      settings.add("--tower.labels=" + labels);
    }
    TestService service = new TestService(home, settings.toArray(String[]::new));
    OPEN.add(service);
    return service;
  }

  private static void declare(Path home, String word) {
    TestService.declare(home, "who", """
        mode: observe
        steps:
          - name: note
            script: echo "%s $TOWER_REQUEST_ID" >>"$TOWER_HOME/noted"
        """.formatted(word));
    TestService.declare(home, "dba", """
        mode: observe
        runs_on: [db-admin]
        params:
          key: { type: string, secret: true }
        steps:
          - name: note
            script: echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/administered"
        """);
    TestService.declare(home, "train", """
        mode: observe
        runs_on: [gpu, tower-03]
        steps:
          - name: note
            script: echo "$TOWER_REQUEST_ID" >>"$TOWER_HOME/trained"
        """);
    TestService.declare(home, "tune", """
        mode: mutate
        runs_on: [quantum]
        controls: { lock: tuned }
        steps: [{ name: note, run: [echo, x] }]
        """);
  }

  private static List<String> lines(TestService service, String file) {
    try {
      Path path = service.home().resolve(file);
      return Files.exists(path) ? Files.readAllLines(path) : List.of();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static String run(String id) {
    return one.get("/runs/" + id).body();
  }

  private static Answer ask(TestService service, String intent, String id, String members, String preference) {
    return service.call("POST", "/intents/" + intent, "{\"request_id\":\"" + id + "\"" + members + "}",
        "Content-Type", "application/json", "Prefer", preference);
  }

  private static List<String> deliveriesOf(String prefix) {
    return new DirectTables(url)
        .look("SELECT DISTINCT deliveries FROM delivered WHERE id LIKE '" + prefix + "%'");
  }

  @Test
  @DisplayName("Of 20 queued runs each executes on a host with the intent of its request, and is delivered once")
  void queued() {
    for (int i = 0; i < 10; i++) {
      assertThat(ask(one, "who", "first-" + i, ",\"queue\":true", ASYNC).status()).isEqualTo(202);
      assertThat(ask(two, "who", "second-" + i, ",\"queue\":true", ASYNC).status()).isEqualTo(202);
    }

    for (int i = 0; i < 10; i++) {
      String number = Integer.toString(i);
      Await.until("both have ended", () -> run("first-" + number).contains("\"status\":\"succeeded\"")
          && run("second-" + number).contains("\"status\":\"succeeded\""));
    }
    assertThat(lines(one, "noted")).hasSize(10).allMatch(line -> line.startsWith("first first-"));
    assertThat(lines(two, "noted")).hasSize(10).allMatch(line -> line.startsWith("second second-"));
    Await.until("all messages are acknowledged",
        () -> new DirectTables(url).look("SELECT id FROM delivered WHERE id LIKE 'first-%' OR id LIKE 'second-%'")
            .size() == 20);
    assertThat(deliveriesOf("first-")).containsExactly("1");
    assertThat(deliveriesOf("second-")).containsExactly("1");
  }

  @Test
  @DisplayName("A request at a host without the label runs at one that has it, and answers as if it ran here; secrets are refused")
  void forwarded() {
    Answer done = one.post("/intents/dba", "{\"request_id\":\"dba-1\"}");
    assertThat(done.status()).isEqualTo(200);
    assertThat(done.body()).contains("\"status\":\"succeeded\"", "\"host_id\":\"tower-02\"", "\"warnings\":[]");
    assertThat(one.post("/intents/dba", "{\"request_id\":\"dba-1\"}").header("Idempotency-Replayed"))
        .isEqualTo("true");
    assertThat(ask(one, "dba", "dba-2", "", ASYNC).status()).isEqualTo(202);
    assertThat(ask(two, "dba", "dba-3", "", ASYNC).status()).isEqualTo(202);
    Await.until("they have ended",
        () -> List.of("dba-2", "dba-3").stream().allMatch(id -> run(id).contains("\"status\":\"succeeded\"")));
    assertThat(lines(two, "administered")).containsExactlyInAnyOrder("dba-1", "dba-2", "dba-3");
    assertThat(lines(one, "administered")).isEmpty();
    assertThat(run("dba-3")).as("it has the label, so no queue is needed").doesNotContain("\"queued\":true");

    Answer secret = one.post("/intents/dba", "{\"request_id\":\"dba-4\",\"params\":{\"key\":\"hush\"}}");
    assertThat(secret.status()).isEqualTo(400);
    assertThat(secret.body()).contains("send it to a host with the label db-admin");
    assertThat(one.get("/intents/dba").body()).contains("\"runs_on\":[\"db-admin\"]").containsPattern(
        "\"digest\":\"[0-9a-f]{64}\"");
  }

  @Test
  @DisplayName("A run that no live host may execute reports that in its plan, its answer and its wait, and waits for a "
      + "host that starts later")
  void later() {
    String sentence = "no live host has the labels gpu and tower-03";
    assertThat(one.post("/intents/train/plan", "{}").body()).contains("\"warnings\":[\"" + sentence + "\"]");
    Answer accepted = ask(one, "train", "train-1", "", ASYNC);
    assertThat(accepted.status()).isEqualTo(202);
    assertThat(accepted.body()).contains("\"warnings\":[\"" + sentence + "\"]", "\"status\":\"waiting\"");
    assertThat(two.get("/runs/train-1").body())
        .contains("\"waiting\":{\"state\":\"queued\",\"position\":1,\"problem\":\"" + sentence + "\"}");

    TestService three = service("tower-03", "first", "gpu");

    Await.until("the run has ended", () -> run("train-1").contains("\"status\":\"succeeded\""));
    assertThat(run("train-1")).contains("\"host_id\":\"tower-03\"");
    assertThat(lines(three, "trained")).containsExactly("train-1");
    Await.until("its message is acknowledged", () -> !deliveriesOf("train-").isEmpty());
    assertThat(deliveriesOf("train-")).containsExactly("1");
  }

  @Test
  @DisplayName("The explanation of a lock names the queued run that no host takes")
  void stranded() {
    assertThat(ask(one, "tune", "tune-1", "", ASYNC).status()).isEqualTo(202);

    assertThat(mcp("explain_lock", "\"lock_name\":\"tuned\"")).contains("\"status\":\"free\"",
        "{\"type\":\"no_host\",\"message\":\"run tune-1 of tune is queued: no live host has the label quantum\"}");
    assertThat(one.post("/runs/tune-1/cancel", "").status()).isEqualTo(202);
    assertThat(mcp("explain_lock", "\"lock_name\":\"tuned\"")).contains("\"reasons\":[]");
  }

  private static String mcp(String tool, String arguments) {
    return one.call("POST", "/mcp", """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":{%s},"_meta":{\
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":\
        {"name":"tests","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}""".formatted(tool, arguments),
        "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version",
        "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool).body();
  }

  @Test
  @DisplayName("A difference between hosts is in the list of hosts, in readiness, which stays UP, in a metric and in the doctor")
  void differences() throws IOException {
    Path policy = Files.createDirectories(two.home().resolve("config")).resolve("policy.yaml");
    Files.writeString(policy, "quotas: [{ name: many, intents: [none-such], runs: 9/1h }]\n");
    String ofPolicy = "\"warnings\":[\"the policy differs between hosts: ";
    Await.until("the policy is published", () -> one.get("/hosts").body().contains(ofPolicy));
    String sentence = "intent who differs between hosts: ";
    assertThat(one.get("/hosts").body()).contains("\"labels\":[\"db-admin\",\"eu\"]",
        "\"intents_differ\":[{\"intent\":\"who\",\"digest\":\"", ofPolicy, "; none on ", "\"" + sentence);
    assertThat(one.get("/overview").body())
        .contains("\"labels\":[\"db-admin\",\"eu\"]," + ofPolicy, "\"" + sentence);
    // On a busy machine, an earlier answer may be that a check has none in time.
    Await.asserted("the readiness", Await.LIMIT, () -> {
      Answer readiness = two.get("/actuator/health/readiness");
      assertThat(readiness.status()).isEqualTo(200);
      assertThat(readiness.body())
          .contains(
              "\"intents\":{\"details\":{\"warning\":\"hosts have different intents and policies; see GET /hosts\","
                  + "\"intents_differing\":1,\"policies_differ\":true},\"status\":\"UP\"}");
    });
    Await.until("the metric",
        () -> one.get("/actuator/prometheus").body().contains("tower_intents_differing 1.0"));
    try (Home home = new Home(one.home(), Map.of("TOWER_DATABASE_URL", url), _ -> {}, Home.Listener.NONE)) {
      assertThat(home.upkeep().doctor().examine()).anySatisfy(finding -> {
        assertThat(finding.severity()).isEqualTo(Finding.Severity.WARN);
        assertThat(finding.toString()).contains(sentence);
      }).anySatisfy(finding -> assertThat(finding.toString()).contains("the policy differs between hosts: "));
    }
    Files.delete(policy);
  }
}

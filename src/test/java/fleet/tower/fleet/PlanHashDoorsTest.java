package fleet.tower.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import fleet.tower.access.file.AccessFiles;
import fleet.tower.harness.Await;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestHome;
import fleet.tower.harness.TestHome.Outcome;
import fleet.tower.platform.disk.KernelRandom;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.platform.time.SystemTime;
import fleet.tower.service.config.TestService;
import fleet.tower.service.config.TestService.Answer;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@DisplayName("The hash of a plan, at every door and host of a fleet of two")
class PlanHashDoorsTest {
  private static final String SPEC = """
      mode: mutate
      params:
        app: { type: string, required: true }
        replicas: { type: integer, default: 2 }
        pw: { type: string, secret: true }
      controls: { lock: "${params.app}" }
      steps: [{ name: work, run: [bash, bin/work.sh, "${params.app}"] }]
      """;

  private final TestService one;
  private final TestService two;
  private final TestHome here;
  private final TestHome there;
  private final Path secrets;

  PlanHashDoorsTest(@TempDir Path directory) throws IOException {
    String url = PostgresServer.newDatabase();
    one = service(directory.resolve("one"), url, "tower-01");
    two = service(directory.resolve("two"), url, "tower-02");
    here = new TestHome(one.home()).with("TOWER_DATABASE_URL", url);
    there = new TestHome(two.home()).with("TOWER_DATABASE_URL", url).with("TOWER_HOST_ID", "tower-02")
        .with("TOWER_ACTOR", "bob");
    secrets = Files.writeString(directory.resolve("params.json"), "{\"app\":\"web\",\"pw\":\"hush-hush\"}");
  }

  private static TestService service(Path home, String url, String host) {
    TestService.makeHome(home);
    TestService.declare(home, "deploy", SPEC);
    work(home, "echo one");
    return new TestService(home, "--tower.database.url=" + url, "--tower.host-id=" + host);
  }

  /** Replaces the file that the step executes. */
  private static void work(Path home, String script) {
    try {
      Files.createDirectories(home.resolve("bin"));
      Files.writeString(home.resolve("bin/work.sh"), script + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void work(String script) {
    work(one.home(), script);
    work(two.home(), script);
  }

  @AfterAll
  void close() {
    two.close();
    one.close();
  }

  private static JsonObject json(String text) {
    return TestHome.json(text);
  }

  private static JsonObject body(Answer answer, int status) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    return json(answer.body());
  }

  private static String params(String app) {
    return "\"params\":{\"app\":\"" + app + "\",\"pw\":\"hush-hush\"}";
  }

  private static JsonObject plan(TestService service, String app) {
    return body(service.post("/intents/deploy/plan", "{" + params(app) + "}"), 200);
  }

  private static String hash(JsonObject plan) {
    return plan.text("plan_hash").orElseThrow();
  }

  private static Answer run(TestService service, String app, String more) {
    return service.post("/intents/deploy", "{" + params(app) + more + "}");
  }

  private String mcp(String tool, String arguments) {
    return one.call("POST", "/mcp", """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":{%s},"_meta":{\
        "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":\
        {"name":"tests","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}""".formatted(tool, arguments),
        "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "MCP-Protocol-Version",
        "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool).body();
  }

  @Test
  @DisplayName("One request has one plan, whoever asks where; no door shows its secret")
  void everywhere() {
    JsonObject plan = plan(one, "web");
    Outcome onFiles = there.run("plan", "deploy", "--params-file", secrets.toString(), "--json");
    Outcome remote = new TestHome(one.home()).with("TOWER_URL", two.url()).with("TOWER_TOKEN", two.token())
        .run("plan", "deploy", "--params-file", secrets.toString(), "--json");

    assertThat(hash(plan(two, "web"))).isEqualTo(hash(plan));
    for (Outcome outcome : List.of(onFiles, remote)) {
      assertThat(hash(outcome.data())).as(outcome.err()).isEqualTo(hash(plan));
      assertThat(outcome.data().object("plan").orElseThrow().raw()).isEqualTo(plan.object("plan").orElseThrow().raw());
    }
    assertThat(there.run("plan", "deploy", "--params-file", secrets.toString()).out())
        .contains("plan      " + hash(plan) + "\n").doesNotContain("hush");
    assertThat(plan.raw()).doesNotContain("hush").contains("\"secrets\":{\"pw\":\"hmac:");
    String withoutSecret = hash(body(two.post("/intents/deploy/plan", "{\"params\":{\"app\":\"web\"}}"), 200));
    assertThat(mcp("plan_intent", "\"intent\":\"deploy\",\"params\":{\"app\":\"web\"}"))
        .contains("\"plan_hash\":\"" + withoutSecret + "\"", "\"plan\":{\"intent\":\"deploy\"");
    assertThat(mcp("deploy", "\"app\":\"web\",\"tower_plan_hash\":\"" + withoutSecret + "\""))
        .contains("\"outcome\":\"succeeded\"");
    assertThat(mcp("deploy", "\"app\":\"api\",\"tower_plan_hash\":\"" + withoutSecret.substring(7, 19) + "\""))
        .contains("\"error\":\"plan_changed\"");
    assertThat(mcp("deploy", "\"app\":\"api\",\"tower_plan_hash\":\"abc\"")).contains("\"error\":\"invalid_params\"",
        "\"pointer\":\"/tower_plan_hash\"");
  }

  @Test
  @DisplayName("force_lock is part of the plan, at every door that takes it")
  void force() {
    String plain = hash(plan(one, "web"));
    String forced = hash(body(one.post("/intents/deploy/plan", "{" + params("web") + ",\"force_lock\":true}"), 200));
    String file = secrets.toString();

    assertThat(forced).isNotEqualTo(plain);
    assertThat(hash(here.run("plan", "deploy", "--params-file", file, "--force-lock", "--json").data()))
        .isEqualTo(forced);
    assertThat(hash(new TestHome(two.home()).with("TOWER_URL", one.url()).with("TOWER_TOKEN", one.token())
        .run("plan", "deploy", "--params-file", file, "--force-lock", "--json").data())).isEqualTo(forced);
    assertThat(body(run(one, "web", ",\"force_lock\":true,\"plan_hash\":\"" + plain + "\""), 409).text("error"))
        .hasValue("plan_changed");
  }

  @Test
  @DisplayName("HTTP runs what was planned on another host, and refuses another plan, another file, and no hash at all")
  void http() {
    String hash = hash(plan(two, "http"));

    assertThat(body(run(one, "http", ",\"plan_hash\":\"" + hash.substring(0, 19) + "\""), 200).text("status"))
        .hasValue("succeeded");
    JsonObject other = body(run(one, "other", ",\"plan_hash\":\"" + hash + "\",\"request_id\":\"other-1\""), 409);
    assertThat(other.text("error")).hasValue("plan_changed");
    assertThat(other.text("plan_hash")).hasValue(hash(plan(one, "other")));
    assertThat(other.raw()).contains("see what it would do now");
    assertThat(one.get("/runs/other-1").status()).isEqualTo(404);
    assertThat(body(run(one, "http", ",\"plan_hash\":\"sha1:123\""), 400).raw()).contains("invalid_request",
        "copy plan_hash from the plan");
    assertThat(body(run(one, "http", ",\"queue\":true,\"plan_hash\":\"0123456789ab\""), 400).text("error"))
        .as("a queued run takes no secret").hasValue("invalid_params");
    work("echo two");
    assertThat(body(run(one, "http", ",\"plan_hash\":\"" + hash + "\""), 409).texts("changed"))
        .as("planned by another host").isEmpty();
    assertThat(body(run(two, "http", ",\"plan_hash\":\"" + hash + "\""), 409).texts("changed"))
        .containsExactly("digest");
    work("echo one");
    assertThat(body(run(one, "http", ",\"plan_hash\":\"" + hash + "\""), 200).text("status")).hasValue("succeeded");
  }

  @Test
  @DisplayName("A file that changes while the run waits for its lock: the run is refused, and no failure")
  void changedUnderTheLock() {
    String hash = hash(plan(one, "waits"));
    body(one.post("/locks/waits", "{\"request_id\":\"mine\"}"), 201);
    body(one.call("POST", "/intents/deploy", "{" + params("waits") + ",\"request_id\":\"waits-1\",\"wait_seconds\":60,"
        + "\"plan_hash\":\"" + hash + "\"}", "Content-Type", "application/json", "Prefer", "respond-async"), 202);
    Await.until("it waits", () -> one.get("/runs/waits-1").body().contains("\"position\":1"));
    work(one.home(), "rm -rf /srv/x");
    assertThat(one.call("DELETE", "/locks/waits?request_id=mine", "").status()).isEqualTo(200);
    Await.until("it has ended", () -> !one.get("/runs/waits-1").body().contains("\"status\":\"waiting\""));
    work(one.home(), "echo one");

    JsonObject run = body(one.get("/runs/waits-1"), 200);
    assertThat(run.text("status")).hasValue("refused");
    assertThat(run.text("error")).hasValue("plan_changed");
    assertThat(run.object("refusal").orElseThrow().texts("changed")).containsExactly("digest");
    assertThat(run.raw()).doesNotContain("\"started_at\":\"");
    assertThat(one.get("/locks/waits").status()).isEqualTo(404);
    assertThat(one.get("/runs?status=refused").body()).contains("waits-1");
    assertThat(one.get("/runs?status=failed").body()).doesNotContain("waits-1");
    assertThat(one.get("/actuator/prometheus").body())
        .doesNotContainPattern("tower_run_duration_seconds_count\\{[^}]*result=\"(aborted|failure)\"");
    Outcome waited = here.run("wait", "waits-1", "--json");
    assertThat(waited.errorCode()).isEqualTo("plan_changed");
    assertThat(waited.exit()).isEqualTo(2);
    assertThat(here.run("runs").out()).contains("refused");
  }

  @Test
  @DisplayName("tower run --plan-hash: on files, through a service, detached and queued")
  @ProofsProfile
  void commands() {
    String[] deploy = {"run", "deploy", "-p", "app=cli", "--plan-hash"};
    String hash = hash(here.run("plan", "deploy", "-p", "app=cli", "--json").data());
    TestHome remote = new TestHome(two.home()).with("TOWER_URL", one.url()).with("TOWER_TOKEN", one.token());

    for (TestHome home : List.of(here, remote)) {
      assertThat(home.run(with(deploy, hash)).exit()).isZero();
      for (String[] manner : List.of(new String[0], new String[]{"--detach"}, new String[]{"--queue"})) {
        Outcome refused = home.run(with(deploy, with(new String[]{"0123456789ab", "--json"}, manner)));
        assertThat(refused.exit()).as(refused.err()).isEqualTo(2);
        assertThat(refused.errorCode()).isEqualTo("plan_changed");
        assertThat(refused.context().text("plan_hash")).hasValue(hash);
        assertThat(refused.json().objects("next_actions").getFirst().text("command"))
            .hasValue("tower plan deploy -p app=cli");
      }
      assertThat(home.run(with(deploy, "xyz")).exit()).isEqualTo(64);
    }
    Outcome queued = here.run(with(deploy, hash, "--queue"));
    assertThat(queued.exit()).as(queued.err()).isZero();
    assertThat(here.run("wait", queued.out().strip()).exit()).isZero();
  }

  private static String[] with(String[] line, String... more) {
    return Stream.concat(Stream.of(line), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  @DisplayName("The key of a home is created once by many at the same time, for its owner only")
  void key(@TempDir Path state) throws Exception {
    Set<String> digests = ConcurrentHashMap.newKeySet();
    List<Thread> threads = IntStream.range(0, 16).mapToObj(_ -> Thread.ofVirtual().start(() -> digests.add(
        new AccessFiles(state, state, SystemTime.source(), _ -> {}).key(new KernelRandom()).digest("pw", "hush"))))
        .toList();
    for (Thread thread : threads) {
      thread.join();
    }

    assertThat(digests).hasSize(1);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("plan-key"))))
        .isEqualTo("rw-------");
    try (Stream<Path> files = Files.list(state)) {
      assertThat(files).hasSize(1);
    }
  }
}

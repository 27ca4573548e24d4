package fleet.tower.service.mcp.subscription;

import static fleet.tower.service.mcp.resource.McpHome.AGENT;
import static fleet.tower.service.mcp.resource.McpHome.LIMITED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import fleet.tower.access.Caller;
import fleet.tower.harness.Await;
import fleet.tower.harness.TestRelease;
import fleet.tower.lease.FencingToken;
import fleet.tower.lease.LeaseName;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.lock.AcquireOutcome;
import fleet.tower.lock.AcquireRequest;
import fleet.tower.lock.Locks;
import fleet.tower.lock.TestRequest;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.resource.McpHome;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;
import fleet.tower.service.mcp.wire.TestExchange;

@DisplayName("subscriptions/listen, a real home and real processes")
class SubscriptionsFeatureTest {
  private static final String ID = "io.modelcontextprotocol/subscriptionId";
  private static final String UPDATED = "notifications/resources/updated";
  private static final Executor THREADS = task -> Thread.ofVirtual().start(task);

  private final Path root;
  private final McpHome home;
  private final SubscriptionsFeature feature;

  SubscriptionsFeatureTest(@TempDir Path directory) {
    root = directory.resolve("home");
    home = new McpHome(root);
    feature = new SubscriptionsFeature(home.home(), home.engine(), home.tasks());
    home.declare("wait", """
        mode: mutate
        controls: { lock: app }
        steps:
          - name: work
            script: |
              echo begun
              until [ -e "$TOWER_HOME/go" ]; do sleep 0.05; done
        """);
    home.declare("say", "mode: observe\nsteps: [{ name: one, run: [echo, hello] }]\n");
  }

  @AfterEach
  void close() {
    letGo();
    home.close();
  }

  private void letGo() {
    try {
      Files.writeString(root.resolve("go"), "");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A sent notification. */
  private record Sent(String method, JsonObject params) {}

  /** A client that listens. */
  private final class Client {
    private final TestExchange exchange;
    private final CompletableFuture<JsonObject> result;

    Client(String filter, Caller caller) {
      exchange = new TestExchange(new Request(Revision.V2026_07_28, "\"sub-1\"", "subscriptions/listen",
          McpHome.json("{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":"
              + "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}},\"notifications\":" + filter + "}")),
          caller);
      result = CompletableFuture.supplyAsync(() -> McpHome.ask(feature, exchange), THREADS);
      Await.until("the acknowledgement", () -> !exchange.sent().isEmpty() || result.isDone());
    }

    Client(String filter) {
      this(filter, AGENT);
    }

    String acknowledged() {
      Sent first = sent().getFirst();
      assertThat(first.method()).isEqualTo("notifications/subscriptions/acknowledged");
      return first.params().object("notifications").orElseThrow().raw();
    }

    List<Sent> notifications() {
      return sent().stream().skip(1).toList();
    }

    private List<Sent> sent() {
      return exchange.sent().stream().map(McpHome::json).map(note -> new Sent(note.text("method").orElseThrow(),
          note.object("params").orElseThrow())).toList();
    }

    long count(String method) {
      return notifications().stream().filter(it -> it.method().equals(method)).count();
    }

    void awaits(String what, String method, long atLeast) {
      Await.until(what, () -> count(method) >= atLeast);
    }

    /** Ends the subscription, and returns its result. */
    JsonObject end() {
      exchange.cancellation().cancel();
      JsonObject answer = result.join();
      assertThat(sent()).allSatisfy(it -> assertThat(
          it.params().object("_meta").flatMap(meta -> meta.text(ID))).contains("sub-1"));
      return answer;
    }
  }

  @Test
  @DisplayName("The acknowledgement comes first and lists what is followed; the end is a result with the id")
  void acknowledges() {
    home.submit("say", "r1", Map.of()).await();
    Client client = new Client("""
        {"toolsListChanged":true,"resourcesListChanged":false,"promptsListChanged":true,"unknown":1,
        "resourceSubscriptions":["tower://runs/r1","tower://runs/r1/log","tower://runs/r9","tower://locks/app",
        "tower://locks/App","tower://prime","tower://audit","file:///etc/passwd","tower://locks/app"],
        "taskIds":["r1","r9","../x"]}""");

    assertThat(client.acknowledged()).isEqualTo("{\"toolsListChanged\":true,\"resourceSubscriptions\":["
        + "\"tower://runs/r1\",\"tower://runs/r1/log\",\"tower://locks/app\"],\"taskIds\":[\"r1\"]}");
    assertThat(client.end().raw()).isEqualTo("{\"_meta\":{\"" + ID + "\":\"sub-1\"}}");
  }

  @Test
  @DisplayName("A client that requests nothing gets nothing, until it ends the stream")
  void nothing() {
    Client client = new Client("{}");

    assertThat(client.acknowledged()).isEqualTo("{}");
    assertThat(client.result).isNotDone();
    client.end();
    assertThat(client.notifications()).isEmpty();
  }

  @Test
  @DisplayName("Each change of a run and its output is notified, including the last; then there are no more "
      + "notifications")
  void run() {
    RunHandle run = home.submit("wait", "r1", Map.of());
    Client client = new Client("{\"resourceSubscriptions\":[\"tower://runs/r1\"]}");
    Client log = new Client("{\"resourceSubscriptions\":[\"tower://runs/r1/log\"]}");
    long before = client.count(UPDATED);
    long printed = log.count(UPDATED);

    letGo();
    run.await();

    client.awaits("the end of the run", UPDATED, before + 1);
    log.awaits("the end of the output", UPDATED, printed + 1);
    assertThat(client.notifications()).last().satisfies(it -> assertThat(it.params().text("uri"))
        .contains("tower://runs/r1"));
    client.end();
    log.end();
  }

  @Test
  @DisplayName("A task is reported at once with its state, and again with its end")
  void tasks() {
    RunHandle run = home.submit("wait", "r1", Map.of());
    Client client = new Client("{\"taskIds\":[\"r1\"]}");
    client.awaits("the present state", "notifications/tasks", 1);

    letGo();
    run.await();

    Await.until("its end", () -> client.notifications().getLast().params().text("status")
        .filter("completed"::equals).isPresent());
    assertThat(client.notifications()).allSatisfy(it -> assertThat(it.params().text("taskId")).contains("r1"));
    assertThat(client.notifications().getLast().params().object("result").flatMap(it -> it.object("structuredContent"))
        .flatMap(it -> it.text("outcome"))).contains("succeeded");
    client.end();
    Client late = new Client("{\"taskIds\":[\"r1\"]}");
    late.awaits("the end of a run that is over", "notifications/tasks", 1);
    assertThat(late.notifications().getFirst().params().text("status")).contains("completed");
    late.end();
  }

  @Test
  @DisplayName("The acquisition and the release of a lock are notified, but not its heartbeats")
  void lock() {
    Locks locks = home.home().locks();
    LeaseName name = new LeaseName("prod");
    Client client = new Client("{\"resourceSubscriptions\":[\"tower://locks/prod\"]}");

    AcquireRequest request = TestRequest.of(name, new RequestId("c1"),
        home.home().holder("anna", "manual", "none", 1), new Ttl(60), false);
    assertThat(locks.acquire(request)).isInstanceOf(AcquireOutcome.Granted.class);
    client.awaits("the grant", UPDATED, 1);
    locks.renew(request.actor(), name, request.owner(), FencingToken.NONE);
    locks.release(request.actor(), name, request.owner(), FencingToken.NONE, Locks.Result.SUCCESS, null);
    client.awaits("the release", UPDATED, 2);

    client.end();
    assertThat(client.count(UPDATED)).isEqualTo(2);
  }

  @Test
  @DisplayName("A changed intent changes the lists of those who see it, and of no others")
  void lists() {
    String filter = "{\"toolsListChanged\":true,\"resourcesListChanged\":true}";
    Client agent = new Client(filter);
    Client limited = new Client(filter, LIMITED);

    home.declare("wait", "mode: observe\nsteps: [{ name: other, run: [\"true\"] }]\n");
    agent.awaits("the changed tools", "notifications/tools/list_changed", 1);
    agent.awaits("the changed resources", "notifications/resources/list_changed", 1);
    assertThat(limited.notifications()).isEmpty();
    home.declare("say", "mode: observe\nsteps: [{ name: other, run: [\"true\"] }]\n");
    limited.awaits("the changed tools", "notifications/tools/list_changed", 1);

    agent.end();
    limited.end();
  }

  @Test
  @DisplayName("A run of another process is also followed")
  void otherProcess() throws IOException {
    ProcessBuilder tower = new ProcessBuilder(TestRelease.command("intents", List.of(), "run", "wait",
        "--request-id", "far")).redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.to(root.resolve("out").toFile()));
    tower.environment().putAll(Map.of("TOWER_HOME", root.toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true",
        "TOWER_HOST_ID", "tower-01", "TOWER_INSECURE_FILES", "true"));
    Process process = tower.start();
    Await.until("the run begins", () -> home.engine().runs().find(new RequestId("far"))
        .filter(it -> it.run().status() == RunStatus.RUNNING).isPresent() || !process.isAlive());
    Client client = new Client("{\"resourceSubscriptions\":[\"tower://runs/far\",\"tower://runs/far/log\"]}");
    assertThat(client.acknowledged()).contains("runs/far/log");
    long before = client.count(UPDATED);

    letGo();

    client.awaits("the end of the run", UPDATED, before + 1);
    assertThat(Await.exitOf(process)).isZero();
    client.end();
  }

  @Test
  @DisplayName("A cancellation before the start ends the call at once")
  void cancelledBefore() {
    TestExchange exchange = new TestExchange(new Request(Revision.V2026_07_28, "1", "subscriptions/listen",
        McpHome.json("{\"notifications\":{\"toolsListChanged\":true}}")), AGENT);
    exchange.cancellation().cancel();

    assertThat(McpHome.ask(feature, exchange).raw()).isEqualTo("{\"_meta\":{\"" + ID + "\":1}}");
  }

  @ParameterizedTest
  @DisplayName("An invalid filter is -32602")
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      {}                                                   | 'notifications' is missing
      {"notifications":[]}                                 | 'notifications' is missing
      {"notifications":{"toolsListChanged":1}}             | 'notifications.toolsListChanged' must be true or false
      {"notifications":{"resourceSubscriptions":"x"}}      | 'notifications.resourceSubscriptions' must be a list
      {"notifications":{"resourceSubscriptions":["x",1]}}  | 'notifications.resourceSubscriptions' must be a list
      """)
  void invalid(String params, String reason) {
    assertThatThrownBy(() -> McpHome.ask(feature, "subscriptions/listen", params, AGENT))
        .isInstanceOfSatisfying(ProtocolError.class, it -> assertThat(it.code()).isEqualTo(-32602))
        .hasMessageContaining(reason);
  }

  @Test
  @DisplayName("A stream follows at most 64 resources")
  void bounded() {
    String many = "\"tower://locks/a\",".repeat(65).replaceAll(",$", "");

    assertThatThrownBy(() -> McpHome.ask(feature, "subscriptions/listen",
        "{\"notifications\":{\"resourceSubscriptions\":[" + many + "]}}", AGENT))
        .isInstanceOf(ProtocolError.class).hasMessageContaining("has 65 entries; at most 64 are allowed");
  }

  @Test
  @DisplayName("Tasks need the extension; the older revision has no stream")
  void capability() {
    assertThatThrownBy(
        () -> McpHome.ask(feature, "subscriptions/listen", "{\"notifications\":{\"taskIds\":[]}}", AGENT))
        .isInstanceOfSatisfying(ProtocolError.class, it -> {
          assertThat(it.code()).isEqualTo(-32021);
          assertThat(it.data() == null ? "" : it.data().end()).isEqualTo("{\"requiredCapabilities\":{\"extensions\":"
              + "{\"io.modelcontextprotocol/tasks\":{}}}}");
        });
    assertThat(feature.methods(Revision.V2025_11_25)).isEmpty();
    assertThat(feature.capabilities(Revision.V2026_07_28).end()).isEqualTo("{}");
  }
}

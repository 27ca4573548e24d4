package fleet.tower.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.harness.Await;
import fleet.tower.harness.Extent;
import fleet.tower.harness.ProofsProfile;
import fleet.tower.harness.TestFiles;
import fleet.tower.harness.TestRelease;
import fleet.tower.mcp.ClientProcess.Call;
import fleet.tower.mcp.McpProxy.Server;
import fleet.tower.platform.sql.PostgresServer;
import fleet.tower.service.config.TestService;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("Third-party MCP clients")
class RealClientsTest {
  private static final String[] QUICK = {"--tower.mcp.task-after=300ms", "--tower.mcp.answer-within=1500ms"};
  private final MessageCheck check = new MessageCheck();
  private final Path directory;

  RealClientsTest(@TempDir Path directory) {
    this.directory = directory;
  }

  static List<String> generations() {
    return Extent.oneOf(List.of("modern", "legacy"));
  }

  @ParameterizedTest(name = "the {0} client")
  @MethodSource("generations")
  @DisplayName("Over HTTP: lists, runs, is refused, waits, cancels and reads")
  void http(String generation) {
    Path home = ClientIntents.declare(directory.resolve("home"));
    try (ClientProcess client = client(generation); TestService service = new TestService(home, QUICK)) {
      use(client, generation, home, Map.of("url", service.url() + "/mcp", "token", service.token()));
    }
    assertValid();
  }

  @ParameterizedTest(name = "the {0} client")
  @MethodSource("generations")
  @DisplayName("Over stdio: lists, runs, is refused, waits, cancels and reads")
  void stdio(String generation) {
    Path home = ClientIntents.declare(directory.resolve("home"));
    List<String> command = TestRelease.command("mcp", List.of("-Xmx96m"), "mcp");
    try (ClientProcess client = client(generation)) {
      use(client, generation, home, Map.of("command", command.getFirst(), "args", command.subList(1, command.size()),
          "env", Map.of("TOWER_HOME", home.toString(), "TOWER_LOCK_INSECURE_DIRECTORY", "true",
              "TOWER_MCP_TASK_AFTER", "300ms", "TOWER_MCP_ANSWER_WITHIN", "1500ms", "PATH", System.getenv("PATH"))));
    }
    assertValid();
  }

  @Test
  @DisplayName("With two hosts on one database behind a proxy that alternates between them: a task survives, and is "
      + "cancelled")
  @ProofsProfile
  void fleet() {
    String database = PostgresServer.newDatabase();
    Path one = ClientIntents.declare(directory.resolve("one"));
    Path two = ClientIntents.declare(directory.resolve("two"));
    try (ClientProcess client = client("modern");
        TestService first = host(one, database, "tower-01");
        TestService second = host(two, database, "tower-02");
        McpProxy proxy = new McpProxy(check, new Server(first.url(), first.token()),
            new Server(second.url(), second.token()))) {
      client.run("connect", Map.of("url", proxy.url(), "token", "of the proxy"));
      client.run("listTools");

      JsonNode task = client.run("startTask", call("migrate", Map.of("app", "shop", "tower_request_id", "f-1")));
      assertThat(task.path("kind").asString()).as("%s", task).isEqualTo("task");
      Await.until("f-1 has begun", () -> (TestFiles.textIfAny(one.resolve("begun-shop"))
          + TestFiles.textIfAny(two.resolve("begun-shop"))).contains("f-1"));
      for (int i = 0; i < 4; i++) {
        assertThat(client.run("getTask", Map.of("taskId", "f-1")).path("status").asString()).isEqualTo("working");
      }
      assertThat(structured(client.callTool("deploy", Map.of("app", "shop"))).path("error").asString())
          .isEqualTo("lock_blocked");
      ClientIntents.letGo(one, "shop");
      ClientIntents.letGo(two, "shop");
      JsonNode settled = client.run("settleTask", Map.of("taskId", "f-1"));
      assertThat(settled.path("status").asString()).isEqualTo("completed");
      assertThat(structured(settled.path("result")).path("outcome").asString()).isEqualTo("succeeded");
      for (int i = 0; i < 2; i++) {
        client.run("startTask", call("migrate", Map.of("app", "shop", "tower_request_id", "f-1")));
      }
      assertThat(TestFiles.textIfAny(one.resolve("done-shop")) + TestFiles.textIfAny(two.resolve("done-shop")))
          .isEqualTo("f-1\n");

      client.run("startTask", call("migrate", Map.of("app", "blog", "tower_request_id", "f-2")));
      Await.until("f-2 has begun", () -> (TestFiles.textIfAny(one.resolve("begun-blog"))
          + TestFiles.textIfAny(two.resolve("begun-blog"))).contains("f-2"));
      client.run("cancelTask", Map.of("taskId", "f-2"));
      assertThat(client.run("settleTask", Map.of("taskId", "f-2")).path("status").asString()).isEqualTo("cancelled");
      assertThat(Files.exists(one.resolve("undone-blog")) || Files.exists(two.resolve("undone-blog"))).isTrue();
      assertThat(proxy.requests()).isGreaterThan(10);
    }
    assertValid();
  }

  private static TestService host(Path home, String database, String name) {
    return new TestService(home, QUICK[0], QUICK[1], "--tower.database.url=" + database, "--tower.host-id=" + name);
  }

  private void assertValid() {
    assertThat(check.mistakes()).isEmpty();
    assertThat(check.seen()).contains("output of deploy");
  }

  private ClientProcess client(String generation) {
    return new ClientProcess(NodeTools.installed(), generation, directory.resolve("client.err"), check);
  }

  /** Uses everything that both revisions have, and tasks where they are. */
  private static void use(ClientProcess client, String generation, Path home, Map<String, ?> server) {
    boolean isModern = generation.equals("modern");
    JsonNode hello = client.run("connect", server);
    assertThat(hello.path("revision").asString()).isEqualTo(isModern ? "2026-07-28" : "2025-11-25");
    assertThat(hello.at("/server/name").asString()).isEqualTo("tower-executor");
    assertThat(hello.path("instructions").asString()).isNotEmpty().hasSizeLessThanOrEqualTo(1500);
    assertThat(names(client.run("listTools"), "name")).contains("say", "deploy", "migrate", "wait_run", "cancel_run",
        "get_run", "explain_lock");

    JsonNode said = ended(client, client.callTool("say", Map.of("text", "good morning")));
    assertThat(said.path("outcome").asString()).isEqualTo("succeeded");
    assertThat(said.toString()).contains("good morning");
    progress(client);
    refused(client, home);
    abandoned(client, home);
    read(client);
    if (isModern) {
      tasks(client, home);
    }
    client.run("close");
  }

  /** A bad argument, a lock that is held, and a wait for it. */
  private static void refused(ClientProcess client, Path home) {
    JsonNode bad = client.callTool("deploy", Map.of("app", "shop", "environment", "stagin"));
    assertThat(bad.path("isError").asBoolean()).isTrue();
    assertThat(structured(bad).path("error").asString()).isEqualTo("invalid_params");
    assertThat(structured(bad).at("/next_actions/0/arguments/environment").asString()).as("%s", bad)
        .isEqualTo("staging");

    Call migrating = client.begin("callTool", call("migrate", Map.of("app", "shop", "tower_request_id", "m-1")));
    ClientIntents.awaitBegun(home, "shop", "m-1");
    JsonNode blocked = client.callTool("deploy", Map.of("app", "shop", "tower_request_id", "d-1"));
    assertThat(blocked.path("isError").asBoolean()).isTrue();
    assertThat(structured(blocked).path("error").asString()).isEqualTo("lock_blocked");
    assertThat(structured(blocked).path("next_actions").path(0).path("tool").asString()).isNotEmpty();

    Call waiting = client.begin("callTool",
        call("deploy", Map.of("app", "shop", "tower_request_id", "d-2", "tower_wait_seconds", 100)));
    JsonNode running = ClientProcess.outcome(migrating);
    assertThat(structured(running).path("outcome").asString()).isEqualTo("running");
    assertThat(client.progressOf(migrating)).isNotEmpty();
    JsonNode queued = ClientProcess.outcome(waiting);
    assertThat(structured(queued).path("outcome").asString()).isEqualTo("waiting");
    ClientIntents.letGo(home, "shop");
    assertThat(ended(client, running).path("outcome").asString()).isEqualTo("succeeded");
    assertThat(ended(client, queued).path("outcome").asString()).isEqualTo("succeeded");
    assertThat(TestFiles.text(home.resolve("deployed-shop"))).isEqualTo("d-2\n");
  }

  /** Each boundary of short steps. A call that a busy machine cuts short is repeated, and reports all of them again. */
  private static void progress(ClientProcess client) {
    Call call;
    JsonNode result;
    do {
      call = client.begin("callTool", call("hop", Map.of("tower_request_id", "h-1")));
      result = structured(ClientProcess.outcome(call));
    } while (result.path("outcome").asString().equals("running"));
    List<JsonNode> notes = client.progressOf(call);
    // A client drops the last one if it reads it together with the result.
    List<String> all = List.of("step 1 of 4: first", "step 2 of 4: second", "step 3 of 4: third",
        "step 4 of 4: fourth", "succeeded");
    assertThat(notes).hasSizeBetween(all.size() - 1, all.size())
        .extracting(note -> note.path("message").asString().replaceAll(" in .*", ""))
        .isEqualTo(all.subList(0, notes.size()));
    assertThat(notes).extracting(note -> note.path("progress").asDouble())
        .isEqualTo(List.of(0.0, 1.0, 2.0, 3.0, 4.0).subList(0, notes.size()));
    assertThat(notes).extracting(note -> note.path("total").asInt()).containsOnly(4);
  }

  /** A call that the client gives up, which does not end its run; and a run that is cancelled. */
  private static void abandoned(ClientProcess client, Path home) {
    Call given = client.begin("callTool", call("migrate", Map.of("app", "blog", "tower_request_id", "m-2")));
    ClientIntents.awaitBegun(home, "blog", "m-2");
    client.run("abort", Map.of("of", given.id()));
    assertThatThrownBy(() -> ClientProcess.outcome(given)).isInstanceOf(ClientProcess.Failed.class);
    assertThat(structured(client.callTool("get_run", Map.of("request_id", "m-2"))).path("status").asString())
        .isEqualTo("running");
    client.callTool("cancel_run", Map.of("request_id", "m-2"));
    Await.until("m-2 is cancelled",
        () -> structured(client.callTool("get_run", Map.of("request_id", "m-2"))).path("status").asString()
            .equals("cancelled"));
    assertThat(home.resolve("undone-blog")).exists();
  }

  private static void read(ClientProcess client) {
    assertThat(names(client.run("listResources"), "uri")).contains("tower://prime");
    assertThat(client.run("readResource", Map.of("uri", "tower://runs/m-1")).toString()).contains("succeeded");
    assertThat(client.run("readResource", Map.of("uri", "tower://runs/m-1/log")).toString())
        .contains("waiting for the test");
    assertThat(names(client.run("listPrompts"), "name")).contains("change_safely", "unblock", "take_over");
    assertThat(client.run("getPrompt", Map.of("name", "unblock", "arguments", Map.of("lock", "shop"))).toString())
        .contains("shop");
  }

  private static void tasks(ClientProcess client, Path home) {
    JsonNode begun = client.run("startTask", call("migrate", Map.of("app", "wiki", "tower_request_id", "t-1")));
    assertThat(begun.path("taskId").asString()).isEqualTo("t-1");
    assertThat(client.run("getTask", Map.of("taskId", "t-1")).path("status").asString()).isEqualTo("working");
    ClientIntents.letGo(home, "wiki");
    JsonNode settled = client.run("settleTask", Map.of("taskId", "t-1"));
    assertThat(settled.path("status").asString()).isEqualTo("completed");
    assertThat(structured(settled.path("result")).path("outcome").asString()).isEqualTo("succeeded");

    client.run("startTask", call("migrate", Map.of("app", "site", "tower_request_id", "t-2")));
    ClientIntents.awaitBegun(home, "site", "t-2");
    client.run("cancelTask", Map.of("taskId", "t-2"));
    assertThat(client.run("settleTask", Map.of("taskId", "t-2")).path("status").asString()).isEqualTo("cancelled");
    assertThat(home.resolve("undone-site")).exists();

    JsonNode quick = client.run("startTask", call("say", Map.of("text", "at once", "tower_request_id", "t-3")));
    JsonNode outcome = quick.path("kind").asString().equals("immediate")
        ? quick.path("outcome")
        : client.run("settleTask", Map.of("taskId", "t-3"));
    assertThat(outcome.toString()).contains("at once");
  }

  /** The end of a run, by the first next action of each result. */
  private static JsonNode ended(ClientProcess client, JsonNode result) {
    JsonNode at = structured(result);
    while (List.of("running", "waiting").contains(at.path("outcome").asString())) {
      JsonNode next = at.path("next_actions").path(0);
      at = structured(client.callTool(next.path("tool").asString(),
          JsonMapper.shared().convertValue(next.path("arguments"), new TypeReference<Map<String, Object>>() {})));
    }
    return at;
  }

  private static Map<String, Object> call(String tool, Map<String, ?> arguments) {
    return Map.of("name", tool, "arguments", arguments);
  }

  private static JsonNode structured(JsonNode result) {
    return result.path("structuredContent");
  }

  private static List<String> names(JsonNode list, String key) {
    List<String> names = new ArrayList<>();
    list.forEach(it -> names.add(it.path(key).asString()));
    return names;
  }
}

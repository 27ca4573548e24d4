package fleet.tower.service.mcp.tool;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.AllowedIntents.ValuePattern;
import fleet.tower.access.Caller;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.RunStore;
import fleet.tower.run.submit.RunApprovals;
import fleet.tower.service.mcp.tool.ToolsHome.Called;

@DisplayName("Intents are tools")
class IntentToolsTest {
  private static final Caller AGENT = ToolsHome.caller(Role.AGENT);
  private static final List<String> SAMPLES = List.of("copy_records", "deploy_app", "disk_report", "greet",
      "move_traffic", "rotate_key", "slow_import", "sync_issues", "tidy_demo", "word_count");

  @TempDir
  private Path root = Path.of("not-yet");

  private ToolsHome samples() {
    return new ToolsHome(ToolsHome.withSamples(root), IntentOffer.Mode.AUTO);
  }

  private static String description(ToolsHome tools, String name) {
    return tools.tool(AGENT, name).text("description").orElseThrow();
  }

  @Test
  @DisplayName("An agent has a tool for each intent, in a fixed order; ten take little more than half of 12 kB")
  void samplesAreListed() {
    try (ToolsHome tools = samples()) {
      List<JsonObject> listed = tools.intentTools(AGENT);

      assertThat(ToolsHome.names(listed)).isEqualTo(SAMPLES);
      assertThat(listed.stream().mapToInt(tool -> tool.raw().getBytes(UTF_8).length + 1).sum()).isLessThan(6_400);
    }
  }

  @Test
  @DisplayName("The list of ten intents and all 19 fixed tools takes at most 13 kB")
  void size() {
    try (ToolsHome tools = samples()) {
      Map<String, Integer> sizes = new TreeMap<>();
      tools.list(AGENT).forEach(tool -> sizes.put(tool.text("name").orElseThrow(), tool.raw().getBytes(UTF_8).length));

      assertThat(sizes).hasSize(29);
      assertThat(sizes.values().stream().mapToInt(size -> size + 1).sum()).as(sizes.toString())
          .isLessThanOrEqualTo(13_000);
    }
  }

  @Test
  @DisplayName("A tool has the intent's parameters with types, limits and defaults, and three arguments of its own")
  void whole() {
    try (ToolsHome tools = samples()) {
      assertThat(tools.tool(AGENT, "deploy_app").raw()).isEqualTo("""
          {"name":"deploy_app","description":"Deploy one app to one environment. Takes the lock \
          ${app}-${environment}; a failure undoes 1 of 4 steps.","inputSchema":{"type":"object","properties":{\
          "app":{"type":"string","description":"The app to deploy",\
          "pattern":"^(?:[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?)$"},\
          "environment":{"type":"string","description":"Target environment","enum":["staging","production"],\
          "default":"staging"},\
          "replicas":{"type":"integer","description":"Number of replicas","minimum":1,"maximum":50,"default":2},\
          "fail_at":{"type":"string","description":"The step that fails on purpose","enum":["nowhere","check"],\
          "default":"nowhere"},\
          "tower_request_id":{"type":"string","description":"same id, same run"},\
          "tower_wait_seconds":{"type":"integer"},\
          "tower_plan_hash":{"type":"string"}},"required":["app"],"additionalProperties":false},\
          "outputSchema":{"type":"object","required":["outcome"]},"annotations":{"destructiveHint":true}}""");
    }
  }

  @Test
  @DisplayName("The description says what changes, the lock, the undoing, other tools' locks and the usual duration")
  void described() throws SQLException {
    ToolsHome.declare(ToolsHome.withSamples(root), "swap", "Swap. Then more", """
        mode: mutate
        steps:
          - { name: one, run: ["true"], rollback: ["true"] }
          - { name: two, run: ["true"], rollback: ["true"] }
        rollback: [{ name: three, run: ["true"] }]
        """);
    ToolsHome.declare(root, "purge", "Purge", """
        mode: mutate
        effect: irreversible
        steps:
          - { name: one, run: ["true"], rollback: ["true"] }
        """);
    try (ToolsHome tools = new ToolsHome(root, IntentOffer.Mode.AUTO)) {
      assertThat(tools.call("swap", "{}").outcome()).isEqualTo("succeeded");
      recordThatRunsTookNoTime("swap");

      assertThat(description(tools, "swap")).isEqualTo(
          "Swap. Takes no lock; a failure undoes every step and runs its rollback. Usually takes less than 1 s.");
      assertThat(description(tools, "disk_report")).isEqualTo("Report how full the home's disk is. Only reads.");
      assertThat(description(tools, "sync_issues"))
          .isEqualTo("Pretend to synchronise the issues of a project. Takes the"
              + " lock sync-issues; may be repeated. Refused while another tool holds beads:${database} or"
              + " flock:state/nightly.lock.");
      assertThat(description(tools, "rotate_key")).endsWith("It needs the secret api_key, which no tool takes.");
      assertThat(Stream.of("swap", "deploy_app", "greet", "tidy_demo")
          .map(name -> tools.tool(AGENT, name).object("annotations").orElseThrow().raw())).containsExactly(
              "{\"destructiveHint\":false}", "{\"destructiveHint\":true}", "{\"readOnlyHint\":true}",
              "{\"destructiveHint\":false,\"idempotentHint\":true}");
      assertThat(description(tools, "purge"))
          .isEqualTo("Purge. Takes no lock; a failure undoes every step. What it does cannot be undone.");
      assertThat(tools.tool(AGENT, "purge").object("annotations").orElseThrow().raw())
          .isEqualTo("{\"destructiveHint\":true}");
    }
  }

  /** A busy machine may take seconds for a run. */
  private void recordThatRunsTookNoTime(String intent) throws SQLException {
    try (var database = DriverManager.getConnection("jdbc:sqlite:" + root.resolve("state/tower.db"));
        var update = database.prepareStatement("UPDATE runs SET document = json_set(document, '$.finished_at',"
            + " json_extract(document, '$.steps[0].started_at')) WHERE intent = ?")) {
      update.setString(1, intent);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("Invisible characters and long texts of an intent do not reach a model; Java-only patterns do not reach "
      + "a client")
  void hostileText() {
    ToolsHome.declare(root, "sneaky", "\\e[31mDo\\t\\nit\\u202e\\U000E0041 " + "x".repeat(600), """
        mode: observe
        params:
          one: { type: string, description: "\\u200bhidden\\0\\a", pattern: "(?i)[a-z]++" }
          two: { type: string, enum: ["a\\tb", c], default: c }
        steps: [{ name: one, run: ["true"] }]
        """);
    try (ToolsHome tools = new ToolsHome(root, IntentOffer.Mode.AUTO)) {
      JsonObject tool = tools.tool(AGENT, "sneaky");

      assertThat(tool.text("description")).hasValue("[31mDo it " + "x".repeat(189) + "… Only reads.");
      assertThat(tool.object("inputSchema").flatMap(it -> it.object("properties")).flatMap(it -> it.object("one"))
          .map(JsonObject::raw)).hasValue(
              "{\"type\":\"string\",\"description\":\"hidden (must match (?i)[a-z]++)\"}");
      assertThat(tools.call("sneaky", "{\"one\":\"ABC\",\"two\":\"a\\tb\"}").outcome()).isEqualTo("succeeded");
      assertThat(tools.call("sneaky", "{\"one\":\"1\"}").text()).contains("one must match (?i)[a-z]++, not '1'");
    }
  }

  private static AllowedIntents allowed(String pattern, String... environments) {
    return new AllowedIntents(NamePattern.intent(pattern), environments.length == 0
        ? Map.of()
        : Map.of("environment", Stream.of(environments).map(ValuePattern::new).toList()));
  }

  @Test
  @DisplayName("Tools depend on the role and on the token: its intents, and the values that it allows")
  void rights() {
    Caller limited = ToolsHome.caller(Role.AGENT,
        new Scope(List.of(allowed("deploy-*", "prod*"), allowed("*-report")), List.of(), List.of(),
            List.of(), List.of()));
    try (ToolsHome tools = samples()) {
      assertThat(tools.intentTools(ToolsHome.caller(Role.VIEWER))).isEmpty();
      assertThat(ToolsHome.names(tools.intentTools(ToolsHome.caller(Role.OPERATOR)))).isEqualTo(SAMPLES);
      assertThat(ToolsHome.names(tools.intentTools(limited))).containsExactly("deploy_app", "disk_report");
      JsonObject input = tools.tool(limited, "deploy_app").object("inputSchema").orElseThrow();
      assertThat(input.object("properties").flatMap(it -> it.object("environment")).map(JsonObject::raw)).hasValue(
          "{\"type\":\"string\",\"description\":\"Target environment\",\"enum\":[\"production\"]}");
      assertThat(input.texts("required")).containsExactly("app", "environment");
      assertThat(tools.call(limited, "deploy_app", "{\"app\":\"shop\",\"environment\":\"production\"}").outcome())
          .isEqualTo("succeeded");
      Called refused = tools.call(limited, "deploy_app", "{\"app\":\"shop\"}");
      assertThat(refused.error()).isEqualTo("forbidden");
      assertThat(refused.text()).contains("only with environment prod*");
    }
  }

  @Test
  @DisplayName("A call runs the intent; the same request id is the same run, and another request is refused")
  void runsOnce() throws Exception {
    try (ToolsHome tools = samples()) {
      Called first = tools.call("deploy_app", "{\"app\":\"shop\",\"replicas\":3,\"tower_request_id\":\"r-1\"}");
      Called again = tools.call("deploy_app", """
          {"app":"shop","replicas":3,"tower_request_id":"r-1","tower_wait_seconds":60}""");
      Called other = tools.call("deploy_app", "{\"app\":\"cart\",\"tower_request_id\":\"r-1\"}");

      assertThat(first.isError()).isFalse();
      assertThat(first.outcome()).isEqualTo("succeeded");
      assertThat(first.structured().text("request_id")).hasValue("r-1");
      assertThat(Files.readString(root.resolve("state/demo/staging/shop"))).contains("replicas=3");
      assertThat(again.structured().raw()).contains("\"replayed\":true");
      assertThat(other.isError()).isTrue();
      assertThat(other.error()).isEqualTo("idempotency_mismatch");
      assertThat(tools.perform(AGENT, other.actions().getLast()).outcome()).isEqualTo("succeeded");
      assertThat(tools.engine.store().list(RunStore.Query.of("deploy-app", null, 10))).hasSize(2);
    }
  }

  @Test
  @DisplayName("A run that a person rejected stays refused under its id; the next action requests it with a new id")
  void rejected() {
    ToolsHome.declare(ToolsHome.withSamples(root), "release", "Release", """
        mode: mutate
        controls: { lock: release }
        approve: { within: 1h }
        steps: [{ name: one, run: ["true"] }]
        """);
    try (ToolsHome tools = new ToolsHome(root, IntentOffer.Mode.AUTO)) {
      String call = "{\"tower_request_id\":\"r-1\"}";
      assertThat(tools.call("release", call).outcome()).isEqualTo("awaiting_approval");
      tools.engine.runs().approvals().vote(new RequestId("r-1"),
          new RunApprovals.Ballot(new Actor("ada", Door.HTTP), "ada", false, null, "not today", null));
      Called again = tools.call("release", call);
      assertThat(again.error()).isEqualTo("approval_rejected");
      assertThat(again.text()).contains("ada rejected it");
      assertThat(tools.perform(AGENT, again.actions().getFirst()).outcome()).isEqualTo("awaiting_approval");
    }
  }

  @Test
  @DisplayName("A run is refused if it is not the one that was planned; the same request again is its run")
  void planned() {
    try (ToolsHome tools = samples()) {
      String hash = tools.call("plan_intent", "{\"intent\":\"deploy_app\",\"params\":{\"app\":\"shop\"}}").structured()
          .text("plan_hash").orElseThrow();
      String wanted = "\"tower_request_id\":\"r-1\",\"tower_plan_hash\":\"" + hash + "\"}";

      Called other = tools.call("deploy_app", "{\"app\":\"cart\"," + wanted);
      Called same = tools.call("deploy_app", "{\"app\":\"shop\"," + wanted);
      assertThat(other.error()).isEqualTo("plan_changed");
      assertThat(other.structured().text("plan_hash")).isPresent().isNotEqualTo(hash);
      assertThat(tools.perform(AGENT, other.actions().getFirst()).structured().text("plan_hash"))
          .isEqualTo(other.structured().text("plan_hash"));
      assertThat(same.outcome()).isEqualTo("succeeded");
      ToolsHome.declare(root, "deploy-app", "Changed", """
          mode: mutate
          params: { app: { type: string, required: true } }
          steps: [{ name: one, run: ["false"] }]
          """);
    }
    try (ToolsHome restarted = new ToolsHome(root, IntentOffer.Mode.AUTO)) {
      String hash = "\"tower_plan_hash\":\"0123456789ab\"}";
      assertThat(restarted.call("deploy_app", "{\"app\":\"shop\",\"tower_request_id\":\"r-1\"," + hash).outcome())
          .isEqualTo("succeeded");
      assertThat(restarted.call("deploy_app", "{\"app\":\"shop\"," + hash).error()).isEqualTo("plan_changed");
    }
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        Arguments.of("{}", "/app is required", ""),
        Arguments.of("{\"app\":\"Shop!\"}",
            "/app must match [a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?, not 'Shop!'", ""),
        Arguments.of("{\"app\":\"shop\",\"environment\":\"prod\"}",
            "/environment must be one of staging, production, not 'prod'",
            "{\"app\":\"shop\",\"environment\":\"production\"}"),
        Arguments.of("{\"app\":\"shop\",\"replicas\":\"3\"}", "/replicas must be an integer, written like 42",
            "{\"app\":\"shop\",\"replicas\":3}"),
        Arguments.of("{\"app\":\"shop\",\"replicas\":99}", "/replicas must be at most 50, not '99'", ""),
        Arguments.of("{\"app\":\"shop\",\"replica\":4}", "/replica is not an argument; did you mean replicas?",
            "{\"app\":\"shop\",\"replicas\":4}"),
        Arguments.of("{\"app\":\"shop\",\"force_lock\":true}", "/force_lock is not an argument; the arguments are app,"
            + " environment, replicas, fail_at, tower_request_id, tower_wait_seconds, tower_plan_hash", ""),
        Arguments.of("{\"app\":\"shop\",\"tower_wait_seconds\":\"60\"}", "/tower_wait_seconds must be an integer",
            "{\"app\":\"shop\",\"tower_wait_seconds\":60}"),
        Arguments.of("{\"app\":\"shop\",\"tower_wait_seconds\":9999}", "/tower_wait_seconds must be at most 3600", ""),
        Arguments.of("{\"app\":null}", "/app must be a string, written in quotes", ""));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  @DisplayName("Bad arguments are refused with their pointers, and with a call of the nearest valid arguments")
  void badArguments(String arguments, String mistake, String nearest) {
    try (ToolsHome tools = samples()) {
      Called refused = tools.call("deploy_app", arguments);

      assertThat(refused.isError()).isTrue();
      assertThat(refused.outcome()).isEqualTo("refused");
      assertThat(refused.error()).isEqualTo("invalid_params");
      assertThat(refused.structured().objects("errors")).extracting(
          error -> error.text("pointer").orElseThrow() + " " + error.text("message").orElseThrow())
          .containsExactly(mistake);
      if (nearest.isEmpty()) {
        assertThat(refused.next()).containsExactly("see the input schema of the tool deploy_app");
      } else {
        assertThat(refused.actions().getFirst().object("arguments").map(JsonObject::raw)).hasValue(nearest);
        assertThat(tools.perform(AGENT, refused.actions().getFirst()).outcome()).isEqualTo("succeeded");
      }
      assertThat(refused.text()).startsWith("Refused (invalid_params): " + mistake.substring(1)).contains("\nNext: ");
    }
  }

  @Test
  @DisplayName("A secret is in no schema, no answer and no action; an intent that needs one is run by an operator")
  void secrets() {
    ToolsHome.declare(ToolsHome.withSamples(root), "ping", "Ping", """
        mode: observe
        params: { key: { type: string, secret: true }, host: { type: string, enum: [here, there], default: here } }
        steps: [{ name: one, run: ["true"] }]
        """);
    try (ToolsHome tools = new ToolsHome(root, IntentOffer.Mode.AUTO)) {
      assertThat(tools.tool(AGENT, "rotate_key").object("inputSchema").orElseThrow().raw()).doesNotContain("api_key");
      for (Called refused : List.of(tools.call("rotate_key", "{}"),
          tools.call("rotate_key", "{\"api_key\":\"hush-hush\",\"tower_wait_seconds\":\"1\"}"),
          tools.call("ping", "{\"key\":\"hush-hush\",\"host\":\"ther\"}"))) {
        assertThat(refused.error()).isEqualTo("invalid_params");
        assertThat(refused.result().raw()).doesNotContain("hush");
        assertThat(refused.actions()).hasSize(1);
        assertThat(refused.next().getFirst()).startsWith("ask an operator to run: tower run ").contains(
            " --params-file=- with {\"");
      }
      assertThat(tools.call("ping", "{\"host\":\"there\"}").outcome()).isEqualTo("succeeded");
    }
  }
}

package fleet.tower.service.mcp.tool;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.harness.TestHome;
import fleet.tower.home.Home;
import fleet.tower.home.HomeRuns;
import fleet.tower.home.OpenHome;
import fleet.tower.home.RunEngine;
import fleet.tower.intent.ToolName;
import fleet.tower.lease.Door;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.service.config.TestService;
import fleet.tower.service.mcp.McpCalls;
import fleet.tower.service.mcp.McpFeatures;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;
import fleet.tower.service.mcp.wire.TestExchange;

/** The tools of a real home, which run real processes. */
final class ToolsHome implements AutoCloseable {
  private static final Path SAMPLES = Path.of(System.getProperty("project.basedir", ".")).resolve("intents");

  final Home home;
  final RunEngine engine;
  final ToolsFeature feature;
  final IntentOffer offer;
  final McpCalls calls;
  private final OpenHome open;

  ToolsHome(Path root, IntentOffer.Mode mode, ToolBox... more) {
    this(root, mode, Map.of(), more);
  }

  /** @param settings further settings, as variables of the environment */
  ToolsHome(Path root, IntentOffer.Mode mode, Map<String, String> settings, ToolBox... more) {
    Map<String, String> environment = new HashMap<>(settings);
    environment.put("TOWER_MCP_TOOLS", mode.toString());
    open = new OpenHome(root, environment, HomeRuns::engine);
    home = open.home();
    engine = open.engine();
    offer = new IntentOffer(engine.catalogue(), mode);
    calls = McpCalls.of(home, engine, open.queue().runs(), home.tasks(), home.mailboxes());
    feature = new McpFeatures(home, engine, calls, null).tools(List.of(more));
  }

  /** A home with the ten sample intents. */
  static Path withSamples(Path root) {
    try (Stream<Path> samples = Files.list(SAMPLES)) {
      Files.createDirectories(root.resolve("intents"));
      for (Path sample : samples.filter(file -> file.toString().endsWith(".yaml")).toList()) {
        Files.copy(sample, root.resolve("intents").resolve(sample.getFileName()));
      }
      return root;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Declares an intent of a home. */
  static Path declare(Path root, String name, String description, String spec) {
    TestService.declare(root, name, "1.0.0", description, spec);
    return root;
  }

  static Caller caller(Role role) {
    return caller(role, Scope.ALL);
  }

  static Caller caller(Role role, Scope scope) {
    return Caller.of("ann", role, scope).through(Door.MCP);
  }

  static JsonObject json(String text) {
    return TestHome.json(text);
  }

  static TestExchange exchange(Caller caller, Revision revision, String method, String params) {
    return new TestExchange(new Request(revision, "1", method, json(params)), caller);
  }

  /** The answer to a method. */
  JsonObject answer(Caller caller, Revision revision, String method, String params) {
    return json(requireNonNull(feature.methods(revision).get(method), method)
        .call(exchange(caller, revision, method, params)).end());
  }

  List<JsonObject> list(Caller caller) {
    return answer(caller, Revision.V2026_07_28, "tools/list", "{}").objects("tools");
  }

  JsonObject tool(Caller caller, String name) {
    return list(caller).stream().filter(tool -> tool.text("name").filter(name::equals).isPresent()).findFirst()
        .orElseThrow();
  }

  /** The tools that find and run intents. */
  List<JsonObject> intentTools(Caller caller) {
    return list(caller).stream().filter(tool -> !tool.text("name").filter(ToolsHome::isFixed).isPresent()).toList();
  }

  private static boolean isFixed(String tool) {
    return ToolName.FIXED.contains(tool) && !tool.equals(SearchIntents.NAME) && !tool.equals(RunIntent.NAME);
  }

  static List<String> names(List<JsonObject> tools) {
    return tools.stream().map(tool -> tool.text("name").orElseThrow()).toList();
  }

  /** A result of a tool. */
  record Called(JsonObject result) {
    boolean isError() {
      return result.raw().endsWith("\"isError\":true}");
    }

    JsonObject structured() {
      return result.object("structuredContent").orElseThrow();
    }

    String outcome() {
      return structured().text("outcome").orElseThrow();
    }

    String error() {
      return structured().text("error").orElse("none");
    }

    String text() {
      return result.objects("content").getFirst().text("text").orElseThrow();
    }

    List<JsonObject> actions() {
      return structured().objects("next_actions");
    }

    /** The names of the tools to call next; the words of advice. */
    List<String> next() {
      return actions().stream().map(action -> action.text("tool").or(() -> action.text("why")).orElseThrow()).toList();
    }
  }

  /** Calls a tool as an agent. */
  Called call(String tool, String arguments) {
    return call(caller(Role.AGENT), tool, arguments);
  }

  Called call(Caller caller, String tool, String arguments) {
    return new Called(answer(caller, Revision.V2026_07_28, "tools/call",
        "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}"));
  }

  /** Performs an action as it stands. */
  Called perform(Caller caller, JsonObject action) {
    assertThat(action.members().keySet()).containsExactly("tool", "arguments", "why");
    return call(caller, action.text("tool").orElseThrow(), action.object("arguments").orElseThrow().raw());
  }

  @Override
  public void close() {
    open.close();
  }
}

package fleet.tower.service.mcp.tool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.home.Home;
import fleet.tower.home.HomeListener;
import fleet.tower.home.RunEngine;
import fleet.tower.home.RunQueueHandle;
import fleet.tower.lease.Door;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.wait.Cancellation;
import fleet.tower.service.call.WaitingCalls;
import fleet.tower.service.call.lock.RetryAfter;
import fleet.tower.service.call.run.RunCalls;
import fleet.tower.service.call.run.RunReplies;
import fleet.tower.service.mcp.task.FollowLimits;
import fleet.tower.service.mcp.task.FollowedRuns;
import fleet.tower.service.mcp.task.RunResults;
import fleet.tower.service.mcp.task.RunTasks;
import fleet.tower.service.mcp.task.RunWaits;
import fleet.tower.service.mcp.tool.run.RunTools;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;
import fleet.tower.service.mcp.wire.TestExchange;

/** The tools of a real home, which run real processes. */
final class ToolsHome implements AutoCloseable {
  private static final Path SAMPLES = Path.of(System.getProperty("project.basedir", ".")).resolve("intents");

  private static final FollowLimits LIMITS = new FollowLimits(Duration.ofSeconds(2), Duration.ofSeconds(45));

  final Home home;
  final RunEngine engine;
  final ToolsFeature feature;
  final IntentOffer offer;
  private final RunQueueHandle queue;

  ToolsHome(Path root, IntentOffer.Mode mode, ToolBox... fixed) {
    home = new Home(root, Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true"), _ -> {}, HomeListener.NONE);
    engine = home.engine();
    queue = home.queue(engine);
    offer = new IntentOffer(engine.catalogue(), mode);
    WaitingCalls waiting = new WaitingCalls(100);
    RunCalls calls = new RunCalls(engine.catalogue(), engine.runs(), queue.runs(),
        new RunReplies(engine.runs(), engine.processes(), home.scheduler(), waiting, engine.catalogue(),
            new RetryAfter(engine.runs(), home.time())),
        waiting);
    RunResults results = new RunResults(engine.processes(), offer::asked);
    RunWaits waits = new RunWaits(home.scheduler(), engine.processes());
    FollowedRuns follower = new FollowedRuns(engine.runs(), waits, results,
        new RunTasks(engine.runs(), results, home.time(), Duration.ofDays(1)), LIMITS);
    List<ToolBox> boxes = new ArrayList<>(List.of(fixed));
    boxes.add(new RunTools(engine.catalogue(), calls, waiting, waits, results, LIMITS, offer::asked)::tools);
    boxes.add(new IntentTools(offer, calls, follower,
        new UsualDurations(engine.runs()::usualDuration, home.time()), home.locks()::waiters));
    feature = new ToolsFeature(offer, boxes);
  }

  /** A home with the ten sample intents. */
  static Path withSamples(Path root) {
    try (Stream<Path> samples = Files.list(SAMPLES)) {
      Files.createDirectories(root.resolve("intents"));
      for (Path sample : samples.filter(file -> file.toString().endsWith(".yaml")).toList()) {
        Files.copy(sample, root.resolve("intents").resolve(sample.getFileName()));
      }
      return prepared(root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path prepared(Path root) throws IOException {
    for (String directory : List.of("config", "logs", "state", "intents")) {
      Files.createDirectories(root.resolve(directory));
    }
    return root;
  }

  /** Declares an intent of a home. */
  static Path declare(Path root, String name, String description, String spec) {
    try {
      Files.writeString(prepared(root).resolve("intents").resolve(name + ".yaml"), """
          apiVersion: tower-fleet/intent/v1
          kind: Intent
          metadata:
            name: %s
            version: 1.0.0
            description: %s
          spec:
          %s""".formatted(name, description, spec.indent(2)));
      return root;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Caller caller(Role role) {
    return caller(role, Scope.ALL);
  }

  static Caller caller(Role role, Scope scope) {
    return Caller.of("ann", role, scope).through(Door.MCP);
  }

  static JsonObject json(String text) {
    try {
      return JsonReader.readObject(text);
    } catch (JsonException e) {
      throw new AssertionError(text, e);
    }
  }

  static TestExchange exchange(Caller caller, Revision revision, String method, String params) {
    return new TestExchange(new Request(revision, "1", method, json(params)), caller, new Cancellation(),
        new ArrayList<>(), new ArrayList<>());
  }

  /** The answer to a method. */
  JsonObject answer(Caller caller, Revision revision, String method, String params) {
    return json(feature.methods(revision).get(method).call(exchange(caller, revision, method, params)).end());
  }

  List<JsonObject> list(Caller caller) {
    return answer(caller, Revision.V2026_07_28, "tools/list", "{}").objects("tools");
  }

  List<String> names(Caller caller) {
    return list(caller).stream().map(tool -> tool.text("name").orElseThrow()).toList();
  }

  JsonObject tool(Caller caller, String name) {
    return list(caller).stream().filter(tool -> tool.text("name").filter(name::equals).isPresent()).findFirst()
        .orElseThrow();
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
    queue.close(Duration.ZERO);
    engine.close(Duration.ZERO);
    home.close();
  }
}

package fleet.tower.service.mcp.resource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.Caller;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.answer.LockEstimates;
import fleet.tower.harness.TestHome;
import fleet.tower.home.Home;
import fleet.tower.home.OpenHome;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.Door;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.config.TestService;
import fleet.tower.service.mcp.task.RunResults;
import fleet.tower.service.mcp.task.RunTasks;
import fleet.tower.service.mcp.tool.IntentOffer;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;
import fleet.tower.service.mcp.wire.TestExchange;

/** A home on files with an engine that executes real processes, and calls of features on it. */
public final class McpHome implements AutoCloseable {
  public static final Caller VIEWER = Caller.of("vera", Role.VIEWER, Scope.ALL).through(Door.MCP);
  public static final Caller AGENT = Caller.of("anna", Role.AGENT, Scope.ALL).through(Door.MCP);
  public static final Caller LIMITED = Caller.of("lim", Role.AGENT,
      new Scope(List.of(AllowedIntents.any(NamePattern.intent("say"))), List.of(),
          List.of(), List.of(), List.of()))
      .through(Door.MCP);

  private final OpenHome open;

  public McpHome(Path root) {
    open = new OpenHome(root);
  }

  /** Runs as tools show them. */
  public RunResults results() {
    return new RunResults(engine().logs(), new LockEstimates(home().locks(), engine().runs(), home().time()),
        new IntentOffer(engine().catalogue(), IntentOffer.Mode.AUTO)::refused);
  }

  /** Runs as tasks. */
  public RunTasks tasks() {
    return new RunTasks(engine().runs(), results(), home().time(), Duration.ofDays(90));
  }

  public Home home() {
    return open.home();
  }

  public RunEngine engine() {
    return open.engine();
  }

  /** Writes an intent; {@code spec} is the YAML below that key. */
  public void declare(String name, String spec) {
    open.declare(name, spec);
  }

  /** Writes an intent with a description, which is the inside of a double-quoted YAML text. */
  public void declareDescribed(String name, String description) {
    TestService.declare(open.root(), name, "1.0.0", description,
        "mode: observe\nsteps: [{ name: one, run: [\"true\"] }]\n");
  }

  /** Waits until the intents are read again. */
  public void awaitIntents(int count) {
    open.awaitIntents(count);
  }

  /** Starts a run. */
  public RunHandle submit(String intent, String id, Map<String, String> params) {
    return open.submit("anna", intent, id, params).handle();
  }

  /** The result of a call of a feature, as JSON. */
  public static JsonObject ask(Feature feature, Revision revision, String method, String params, Caller caller) {
    return ask(feature, new TestExchange(new Request(revision, "7", method, json(params)), caller));
  }

  /** The result of a call in the newer revision. */
  public static JsonObject ask(Feature feature, String method, String params, Caller caller) {
    return ask(feature, Revision.V2026_07_28, method, params, caller);
  }

  /** The result of a call through an exchange. */
  public static JsonObject ask(Feature feature, TestExchange exchange) {
    Request request = exchange.request();
    return json(Optional.ofNullable(feature.methods(request.revision()).get(request.method()))
        .orElseThrow(() -> new AssertionError("no method " + request.method())).call(exchange).end());
  }

  public static JsonObject json(String text) {
    return TestHome.json(text);
  }

  @Override
  public void close() {
    open.close();
  }
}

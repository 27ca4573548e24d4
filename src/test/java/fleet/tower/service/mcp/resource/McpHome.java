package fleet.tower.service.mcp.resource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

import fleet.tower.access.AllowedIntents;
import fleet.tower.access.Caller;
import fleet.tower.access.NamePattern;
import fleet.tower.access.Role;
import fleet.tower.access.Scope;
import fleet.tower.harness.Await;
import fleet.tower.home.Home;
import fleet.tower.home.HomeListener;
import fleet.tower.home.RunEngine;
import fleet.tower.home.RunQueueHandle;
import fleet.tower.intent.Values;
import fleet.tower.lease.Actor;
import fleet.tower.lease.Door;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonException;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.run.Run;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.members.Member;
import fleet.tower.run.submit.RunRequest;
import fleet.tower.run.submit.SubmitOutcome;
import fleet.tower.service.call.lock.RetryAfter;
import fleet.tower.service.config.TestService;
import fleet.tower.service.mcp.task.RunResults;
import fleet.tower.service.mcp.task.RunTasks;
import fleet.tower.service.mcp.tool.IntentOffer;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;

/** A home on files with an engine that executes real processes, and calls of features on it. */
public final class McpHome implements AutoCloseable {
  public static final Caller VIEWER = Caller.of("vera", Role.VIEWER, Scope.ALL).through(Door.MCP);
  public static final Caller AGENT = Caller.of("anna", Role.AGENT, Scope.ALL).through(Door.MCP);
  public static final Caller LIMITED = Caller.of("lim", Role.AGENT,
      new Scope(List.of(AllowedIntents.any(NamePattern.intent("say"))), List.of(),
          List.of(), List.of()))
      .through(Door.MCP);

  private final Path root;
  private final Home home;
  private final RunEngine engine;
  private final RunQueueHandle queue;

  public McpHome(Path root) {
    this.root = root;
    TestService.makeHome(root);
    home = new Home(root, Map.of("TOWER_LOCK_INSECURE_DIRECTORY", "true", "TOWER_HOST_ID", "tower-01",
        "TOWER_INSECURE_FILES", "true"), _ -> {}, HomeListener.NONE);
    engine = home.runs().engine(Member.Kind.COMMAND);
    queue = home.runs().queue(engine);
  }

  /** Runs as tools show them. */
  public RunResults results() {
    return new RunResults(engine.logs(), new RetryAfter(engine.runs(), home.time()),
        new IntentOffer(engine.catalogue(), IntentOffer.Mode.AUTO)::asked);
  }

  /** Runs as tasks. */
  public RunTasks tasks() {
    return new RunTasks(engine.runs(), results(), home.time(), Duration.ofDays(90));
  }

  public Home home() {
    return home;
  }

  public RunEngine engine() {
    return engine;
  }

  /** Writes an intent; {@code spec} is the YAML below that key. */
  public void declare(String name, String spec) {
    TestService.declare(root, name, spec);
  }

  /** Writes an intent with a description, which is the inside of a double-quoted YAML text. */
  public void declareDescribed(String name, String description) {
    try {
      Files.writeString(root.resolve("intents").resolve(name + ".yaml"), """
          apiVersion: tower-fleet/intent/v1
          kind: Intent
          metadata: { name: %s, version: 1.0.0, description: "%s" }
          spec: { mode: observe, steps: [{ name: one, run: ["true"] }] }
          """.formatted(name, description));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until the intents are read again. */
  public void awaitIntents(int count) {
    Await.until("there are " + count + " intents", () -> engine.catalogue().list().size() == count);
  }

  /** Starts a run. */
  public RunHandle submit(String intent, String id, Map<String, String> params) {
    SubmitOutcome outcome = engine.runs().submit(new RunRequest(intent,
        params.entrySet().stream().collect(
            Collectors.toMap(Map.Entry::getKey, it -> new Values.Given(it.getValue(), Values.Given.Kind.WORD))),
        new RequestId(id), null, new Run.Origin(new Actor("anna", Door.MCP), "{}", null), RunRequest.Terms.PLAIN, null,
        null));
    if (outcome instanceof SubmitOutcome.Accepted(RunHandle handle, boolean _)) {
      return handle;
    }
    throw new AssertionError(outcome.toString());
  }

  /** The result of a call of a feature, as JSON. */
  public static JsonObject ask(Feature feature, Revision revision, String method, String params, Caller caller) {
    return ask(feature, new FakeExchange(new Request(revision, "7", method, json(params)), caller));
  }

  /** The result of a call in the newer revision. */
  public static JsonObject ask(Feature feature, String method, String params, Caller caller) {
    return ask(feature, Revision.V2026_07_28, method, params, caller);
  }

  /** The result of a call through an exchange. */
  public static JsonObject ask(Feature feature, FakeExchange exchange) {
    Request request = exchange.request();
    return json(Optional.ofNullable(feature.methods(request.revision()).get(request.method()))
        .orElseThrow(() -> new AssertionError("no method " + request.method())).call(exchange).end());
  }

  public static JsonObject json(String text) {
    try {
      return JsonReader.readObject(text);
    } catch (JsonException e) {
      throw new AssertionError(text, e);
    }
  }

  @Override
  public void close() {
    queue.close(Duration.ZERO);
    engine.close(Duration.ZERO);
    home.close();
  }
}

package fleet.tower.service.mcp.task;

import java.util.Map;

import fleet.tower.access.Forbidden;
import fleet.tower.access.Role;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.InvalidValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.Feature;
import fleet.tower.service.mcp.wire.ProtocolError;
import fleet.tower.service.mcp.wire.Request;
import fleet.tower.service.mcp.wire.Revision;

/**
 * The tasks extension: a client polls a run that became a task, or cancels it. No task ever needs input, so an update
 * is acknowledged and ignored.
 */
public final class TasksFeature implements Feature {
  private static final String EXTENSION = "io.modelcontextprotocol/tasks";
  private static final int MISSING_CLIENT_CAPABILITY = -32021;

  private final RunTasks tasks;
  private final Runs runs;

  public TasksFeature(RunTasks tasks, Runs runs) {
    this.tasks = tasks;
    this.runs = runs;
  }

  /** Whether the client accepts a task as the answer to this request. */
  static boolean isDeclared(Request request) {
    return request.revision() == Revision.V2026_07_28 && request.declares(EXTENSION);
  }

  @Override
  public JsonWriter capabilities(Revision revision) {
    return revision == Revision.V2026_07_28
        ? JsonWriter.line().put("extensions", extension())
        : JsonWriter.line();
  }

  private static JsonWriter extension() {
    return JsonWriter.line().put(EXTENSION, JsonWriter.line());
  }

  @Override
  public Map<String, Method> methods(Revision revision) {
    return revision == Revision.V2026_07_28
        ? Map.of("tasks/get", this::get, "tasks/update", this::update, "tasks/cancel", this::cancel)
        : Map.of();
  }

  /** Refuses a request about tasks of a client that did not declare that it knows them. */
  public static void requireDeclared(Request request) {
    if (!isDeclared(request)) {
      throw new ProtocolError(MISSING_CLIENT_CAPABILITY,
          "this request needs the client capability extensions[\"" + EXTENSION + "\"]", JsonWriter.line()
              .put("requiredCapabilities", JsonWriter.line().put("extensions", extension())));
    }
  }

  private static String id(Exchange exchange) {
    requireDeclared(exchange.request());
    return exchange.request().params().text("taskId")
        .orElseThrow(() -> ProtocolError.invalidParams("'taskId' is missing or not a string"));
  }

  private static ProtocolError unknown(String id) {
    return ProtocolError.invalidParams("there is no task " + InvalidValue.shown(id));
  }

  private JsonWriter get(Exchange exchange) {
    String id = id(exchange);
    return tasks.detailed(id, exchange).orElseThrow(() -> unknown(id));
  }

  private JsonWriter update(Exchange exchange) {
    String id = id(exchange);
    RunHandle handle = tasks.find(id).orElseThrow(() -> unknown(id));
    if (exchange.request().params().object("inputResponses").isEmpty()) {
      throw ProtocolError.invalidParams("'inputResponses' is missing or not an object");
    }
    requireOwn(handle, exchange, "update task ");
    return JsonWriter.line();
  }

  private JsonWriter cancel(Exchange exchange) {
    String text = id(exchange);
    RunHandle handle = tasks.find(text).orElseThrow(() -> unknown(text));
    requireOwn(handle, exchange, "cancel task ");
    RequestId id = handle.run().requestId();
    return switch (runs.cancel(id, exchange.caller().actor())) {
      case Runs.CancelOutcome.Requested _,Runs.CancelOutcome.Finished _ -> JsonWriter.line();
      case Runs.CancelOutcome.NotFound _ -> throw unknown(text);
    };
  }

  private static void requireOwn(RunHandle handle, Exchange exchange, String what) {
    try {
      exchange.caller().require(Role.AGENT, what + handle.run().requestId());
      exchange.caller().requireOwn(handle.run().actor().name(), what + handle.run().requestId());
    } catch (Forbidden e) {
      throw new ProtocolError(ProtocolError.INVALID_REQUEST, e.problem(),
          JsonWriter.line().put("error", ErrorCode.FORBIDDEN.code())).because(e);
    }
  }
}

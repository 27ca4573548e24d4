package fleet.tower.service.mcp.tool.task;

import java.security.SecureRandom;
import java.util.List;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.Enveloped;
import fleet.tower.answer.Problem;
import fleet.tower.lease.RequestId;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.platform.text.VisibleText;
import fleet.tower.service.call.Needs;
import fleet.tower.service.call.task.TaskCalls;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.FixedTool.Definition;
import fleet.tower.service.mcp.tool.FixedTool.Effect;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.task.TaskCommand;

/** The tools {@code claim_task renew_task close_task}. A caller that names no agent is the agent of its own name. */
public final class TaskTools implements ToolBox {
  private static final String REQUEST_ID = "request_id";
  private static final String TASK_ID = "task_id";
  private static final String ATTEMPT = "attempt";
  private static final String PROJECT = "project";
  private static final String RELEASE = "release";

  private static final String ID_SCHEMA = "\"task_id\":{\"type\":\"string\"}";
  private static final String ATTEMPT_SCHEMA = ",\"attempt\":{\"type\":\"integer\"}";
  private static final String TTL_SCHEMA = ",\"ttl_seconds\":{\"type\":\"integer\",\"default\":"
      + TaskCommand.DEFAULT_TTL.seconds() + "}";
  private static final String CALL_SCHEMA = ",\"agent\":{\"type\":\"string\"},\"request_id\":{\"type\":\"string\"}";

  private static final Definition CLAIM = new Definition("claim_task",
      "Claims a task, or the best. Renew it within ttl_seconds; close it.",
      ID_SCHEMA + ",\"project\":{\"type\":\"string\"}" + TTL_SCHEMA
          + CALL_SCHEMA,
      List.of(), Effect.OWN);
  private static final Definition RENEW = new Definition("renew_task",
      "Keeps your task for ttl_seconds. If refused, stop.",
      ID_SCHEMA + ATTEMPT_SCHEMA + TTL_SCHEMA + CALL_SCHEMA, List.of(TASK_ID), Effect.OWN);
  private static final Definition CLOSE = new Definition("close_task", "Ends your work on a task.",
      ID_SCHEMA + ",\"outcome\":{\"enum\":[\"done\",\"blocked\",\"release\"]}"
          + ",\"reason\":{\"type\":\"string\"}" + ATTEMPT_SCHEMA + CALL_SCHEMA,
      List.of(TASK_ID, "outcome"), Effect.OWN);

  private final TaskCalls calls;
  private final SecureRandom random = new SecureRandom();
  private final List<FixedTool> tools;

  public TaskTools(TaskCalls calls) {
    this.calls = calls;
    tools = List.of(
        FixedTool.of(CLAIM, Role.AGENT, withId(this::claim), TaskTools::claimed),
        FixedTool.of(RENEW, Role.AGENT, withId(this::renew), TaskTools::claimed),
        FixedTool.of(CLOSE, Role.AGENT, withId(this::close), TaskTools::closed));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  /** A call with its agent and request id. */
  private interface Call {
    Answer of(JsonObject arguments, String agent, String requestId, Caller caller);
  }

  /** The answer names the request id, which the caller may not have chosen. */
  private FixedTool.Call withId(Call call) {
    return (arguments, exchange) -> {
      Caller caller = exchange.caller();
      String id = arguments.text(REQUEST_ID).orElseGet(() -> RequestId.random(random).value());
      return switch (call.of(arguments, arguments.text("agent").orElse(caller.name()), id, caller)) {
        case Problem problem -> problem;
        case Answer.Listing list -> list;
        case Answer.Done done -> {
          JsonObject data = Enveloped.data(done);
          JsonWriter json = JsonWriter.line();
          data.members().forEach((name, value) -> json.raw(name, data.raw(value)));
          yield Answer.ok(json.put(REQUEST_ID, id));
        }
      };
    };
  }

  @Needs(Role.AGENT)
  private Answer claim(JsonObject arguments, String agent, String requestId, Caller caller) {
    Long ttl = FixedTool.integer(arguments, "ttl_seconds");
    if (arguments.get(TASK_ID) == null) {
      return calls.claim(
          new TaskCalls.ClaimBody(agent, requestId, arguments.text(PROJECT).orElse(null), ttl, false), caller);
    }
    refuse(arguments, PROJECT, "with task_id");
    return calls.start(id(arguments), new TaskCalls.HoldBody(agent, requestId, ttl, null), caller);
  }

  @Needs(Role.AGENT)
  private Answer renew(JsonObject arguments, String agent, String requestId, Caller caller) {
    return calls.heartbeat(id(arguments), new TaskCalls.HoldBody(agent, requestId,
        FixedTool.integer(arguments, "ttl_seconds"), FixedTool.integer(arguments, ATTEMPT)), caller);
  }

  @Needs(Role.AGENT)
  private Answer close(JsonObject arguments, String agent, String requestId, Caller caller) {
    String outcome = arguments.text("outcome").orElse("");
    Long attempt = FixedTool.integer(arguments, ATTEMPT);
    if (outcome.equals(RELEASE)) {
      refuse(arguments, "reason", "with outcome " + RELEASE);
      return calls.release(id(arguments), new TaskCalls.ReleaseBody(agent, requestId, attempt), caller);
    }
    return calls.close(id(arguments), new TaskCalls.CloseBody(agent, requestId, attempt, outcome,
        arguments.text("reason").orElse(null)), caller);
  }

  /** Refuses an argument that would be ignored. */
  private static void refuse(JsonObject arguments, String name, String where) {
    if (arguments.get(name) != null) {
      throw CommonProblems.invalid(name, "'" + name + "' has no meaning " + where, "omit '" + name + "'");
    }
  }

  private static String id(JsonObject arguments) {
    return arguments.text(TASK_ID).orElse("");
  }

  private static String claimed(JsonObject result) {
    return result.object("task").map(task -> result.text("standing").filter("held"::equals).isPresent()
        ? "You work on task " + task.text("id").orElse("") + " until " + task.text("claim_expires_at").orElse("") + ": "
            + VisibleText.quoted(task.text("title").orElse(""))
        : "You no longer work on task " + task.text("id").orElse("") + ".")
        .orElse("No task is available.");
  }

  private static String closed(JsonObject result) {
    return result.object("task")
        .map(task -> "Task " + task.text("id").orElse("") + " is " + task.text("status").orElse("") + ".").orElse("");
  }
}

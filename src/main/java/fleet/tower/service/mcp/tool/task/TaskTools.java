package fleet.tower.service.mcp.tool.task;

import static java.util.Objects.requireNonNull;

import java.security.SecureRandom;
import java.util.List;
import java.util.Set;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.lease.RequestId;
import fleet.tower.lease.Ttl;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonValue;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.call.Answer;
import fleet.tower.service.call.Enveloped;
import fleet.tower.service.call.Problem;
import fleet.tower.service.call.Problems;
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
  private static final String WITH_INTENT = "with_intent";
  private static final String RELEASE = "release";

  private static final String OF_AGENT = """
      ,"agent":{"type":"string","description":"your name; default: of your token"},\
      "request_id":{"type":"string","description":"your id; the same id acts once"}""";
  private static final String ATTEMPT_SCHEMA = ",\"attempt\":{\"type\":\"integer\",\"minimum\":1}";
  private static final String TTL_SCHEMA = ",\"ttl_seconds\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":"
      + Ttl.MAX_SECONDS + ",\"default\":" + TaskCommand.DEFAULT_TTL.seconds() + "}";

  private static final Definition CLAIM = new Definition("claim_task", "Claim a task",
      "Claims a task, or the best available one. Renew the claim before ttl_seconds are over, and close the task.",
      "\"task_id\":{\"type\":\"string\"},\"project\":{\"type\":\"string\"}"
          + ",\"with_intent\":{\"type\":\"boolean\",\"description\":\"only tasks that name an intent\"}"
          + ATTEMPT_SCHEMA + TTL_SCHEMA + OF_AGENT,
      List.of(), "\"task\":{\"type\":[\"object\",\"null\"]}", Effect.EACH_TIME);
  private static final Definition RENEW = new Definition("renew_task", "Renew a claim",
      "Keeps your claim for ttl_seconds. If it is refused, stop the work.",
      "\"task_id\":{\"type\":\"string\"}" + ATTEMPT_SCHEMA + TTL_SCHEMA + OF_AGENT, List.of(TASK_ID), "", Effect.ONCE);
  private static final Definition CLOSE = new Definition("close_task", "Close a task",
      "Ends your work on a task: it is done, blocked, or released for others.",
      "\"task_id\":{\"type\":\"string\"},\"outcome\":{\"type\":\"string\",\"enum\":[\"done\",\"blocked\",\"release\"]}"
          + ",\"reason\":{\"type\":\"string\"}" + ATTEMPT_SCHEMA + OF_AGENT,
      List.of(TASK_ID, "outcome"), "", Effect.ONCE);

  private final TaskCalls calls;
  private final SecureRandom random = new SecureRandom();
  private final List<FixedTool> tools;

  public TaskTools(TaskCalls calls) {
    this.calls = requireNonNull(calls);
    tools = List.of(
        new FixedTool(CLAIM, Role.AGENT, withId(this::claim), TaskTools::claimed),
        new FixedTool(RENEW, Role.AGENT, withId(this::renew), TaskTools::claimed),
        new FixedTool(CLOSE, Role.AGENT, withId(this::close), TaskTools::closed));
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
  private FixedTool.Work withId(Call call) {
    return (arguments, exchange) -> {
      Caller caller = exchange.caller();
      String id = arguments.text(REQUEST_ID).orElseGet(() -> RequestId.random(random).value());
      return switch (call.of(arguments, arguments.text("agent").orElse(caller.name()), id, caller)) {
        case Problem problem -> problem;
        case Answer.Done done -> {
          JsonObject data = Enveloped.data(done);
          JsonWriter json = JsonWriter.line();
          data.members().forEach((name, value) -> json.raw(name, data.raw(value)));
          yield Answer.ok(json.put(REQUEST_ID, id));
        }
      };
    };
  }

  private Answer claim(JsonObject arguments, String agent, String requestId, Caller caller) {
    Long ttl = FixedTool.integer(arguments, "ttl_seconds");
    if (arguments.get(TASK_ID) == null) {
      refuse(arguments, Set.of(ATTEMPT), "without task_id");
      return calls.claim(new TaskCalls.ClaimBody(agent, requestId, arguments.text(PROJECT).orElse(null), ttl,
          arguments.get(WITH_INTENT) instanceof JsonValue.Bool bool && bool.value()), caller);
    }
    refuse(arguments, Set.of(PROJECT, WITH_INTENT), "with task_id");
    return calls.start(id(arguments),
        new TaskCalls.HoldBody(agent, requestId, ttl, FixedTool.integer(arguments, ATTEMPT)), caller);
  }

  private Answer renew(JsonObject arguments, String agent, String requestId, Caller caller) {
    return calls.heartbeat(id(arguments), new TaskCalls.HoldBody(agent, requestId,
        FixedTool.integer(arguments, "ttl_seconds"), FixedTool.integer(arguments, ATTEMPT)), caller);
  }

  private Answer close(JsonObject arguments, String agent, String requestId, Caller caller) {
    String outcome = arguments.text("outcome").orElse("");
    Long attempt = FixedTool.integer(arguments, ATTEMPT);
    if (outcome.equals(RELEASE)) {
      refuse(arguments, Set.of("reason"), "with outcome " + RELEASE);
      return calls.release(id(arguments), new TaskCalls.ReleaseBody(agent, requestId, attempt), caller);
    }
    return calls.close(id(arguments), new TaskCalls.CloseBody(agent, requestId, attempt, outcome,
        arguments.text("reason").orElse(null)), caller);
  }

  private static void refuse(JsonObject arguments, Set<String> names, String where) {
    names.stream().filter(name -> arguments.get(name) != null).sorted().findFirst().ifPresent(name -> {
      throw Problems.invalid(name, "'" + name + "' has no meaning " + where, "omit '" + name + "'");
    });
  }

  private static String id(JsonObject arguments) {
    return arguments.text(TASK_ID).orElse("");
  }

  private static String claimed(JsonObject result) {
    return result.object("task").map(task -> result.text("standing").filter("held"::equals).isPresent()
        ? "You work on task " + task.text("id").orElse("") + " until " + task.text("claim_expires_at").orElse("") + ": "
            + task.text("title").orElse("")
        : "You no longer work on task " + task.text("id").orElse("") + ".")
        .orElse("No task is available.");
  }

  private static String closed(JsonObject result) {
    return result.object("task")
        .map(task -> "Task " + task.text("id").orElse("") + " is " + task.text("status").orElse("") + ".").orElse("");
  }
}

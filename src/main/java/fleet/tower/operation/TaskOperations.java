package fleet.tower.operation;

import static fleet.tower.access.Role.AGENT;
import static fleet.tower.access.Role.VIEWER;
import static fleet.tower.operation.Arg.Via.HTTP;
import static fleet.tower.operation.CommonArgs.CURSOR;
import static fleet.tower.operation.Operation.Method.GET;
import static fleet.tower.operation.Operation.Method.POST;

import java.util.Arrays;
import java.util.List;

import fleet.tower.access.Role;
import fleet.tower.lease.Ttl;
import fleet.tower.operation.Operation.Effect;
import fleet.tower.operation.Operation.Method;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.task.TaskCommand;
import fleet.tower.task.TaskSpec;
import fleet.tower.task.TaskStatus;

/** The operations on tasks. Those that change one name the agent and a request id, so that they can be repeated. */
public final class TaskOperations {
  private static final long DEFAULT_ROWS = 100;
  private static final long MAX_ROWS = 10_000;
  private static final String CLAIMING = "claim_task";
  private static final String CLAIMING_SAYS = "Claims a task, or the best. Renew within ttl_seconds; close it.";

  public static final Arg<String> ID = Arg.text("task_id", "TASK", "the task").operand();
  private static final Arg<String> KEPT = Arg.text(ID.name(), "[TASK]", ID.says()).option("id").must();
  public static final Arg<String> WORKER = Arg.text("agent", "A", "the agent's name, such as builder-1").must();
  public static final Arg<String> REQUEST_ID = CommonArgs.REQUEST_ID
      .says("choose an id, so that a retry after a lost answer has no further effect").must();
  public static final Arg<Long> TTL = Arg.seconds("ttl_seconds", 1, Ttl.MAX_SECONDS,
      "how long the claim stays valid after its last heartbeat").or(TaskCommand.DEFAULT_TTL.seconds());
  public static final Arg<Long> ATTEMPT = Arg.whole("attempt", 1, Long.MAX_VALUE, "N",
      "the attempt that the claim returned");
  public static final Arg<String> PROJECT = Arg.text("project", "P", "only tasks of this project");
  public static final Arg<Boolean> WITH_INTENT = Arg.flag("with_intent", "only tasks that name an intent");
  public static final Arg<String> OUTCOME = Arg.word("outcome", List.of("done", "blocked"),
      "done, or blocked with a --reason").must();
  public static final Arg<String> REASON = Arg.text("reason", "TEXT", "why it is blocked, or what was done");

  public static final Arg<String> TITLE = Arg.text("title", "TITLE", "what is to be done").operand();
  public static final Arg<String> NEW_ID = Arg.text("id", "ID", "its id (default: a new one, which is printed)");
  public static final Arg<String> DESCRIPTION = Arg.text("description", "TEXT", "a description").or("");
  public static final Arg<Long> PRIORITY = Arg.whole("priority", -TaskSpec.MAX_PRIORITY, TaskSpec.MAX_PRIORITY, "N",
      "tasks with a higher priority are offered first").or(0L);
  public static final Arg<List<String>> DEPENDS_ON = Arg.texts("depends_on", "TASK",
      "a task that must be completed first");
  public static final Arg<String> QUEUE = PROJECT.says("the project whose queue it joins");
  public static final Arg<String> ASSIGNED_TO = Arg.text("assigned_to", "AGENT",
      "the agent that resume offers it to first").option("assign");
  public static final Arg<String> INTENT = Arg.text("intent", "I",
      "the intent that does the work, for `tower task work`");
  /** A command has options that read it from a file, too. */
  public static final Arg<JsonObject> PARAMS = Arg.members("params", "K=V", "its parameters").only(HTTP);

  public static final Arg<String> STATUS = Arg.word("status",
      Arrays.stream(TaskStatus.values()).map(TaskStatus::toString).toList(), "only tasks with this status");
  public static final Arg<String> CLAIMED_BY = Arg.text("claimed_by", "A", "only tasks that this agent has claimed");
  public static final Arg<Long> LIMIT = Arg.whole(CommonArgs.LIMIT.name(), 1, MAX_ROWS, "N",
      CommonArgs.LIMIT.says()).or(DEFAULT_ROWS);
  public static final Arg<Long> AFTER = Arg.whole("after", 0, Long.MAX_VALUE, "ID", "only events after this one")
      .or(0L);

  public static final Operation LIST = of("listTasks", VIEWER, GET, "/tasks",
      "list tasks in the order they are offered", "task list", STATUS, PROJECT, CLAIMED_BY, LIMIT, CURSOR);
  public static final Operation VIEW = of("getTask", VIEWER, GET, "/tasks/{id}", "show one task", "task get", ID);
  public static final Operation EVENTS = of("readTaskEvents", VIEWER, GET, "/tasks/{id}/events",
      "list the events of a task, oldest first", "task events", ID, AFTER, LIMIT, CommonArgs.LAST_EVENT_ID);
  public static final Operation CREATE = of("createTask", AGENT, POST, "/tasks", "create a task and print its id",
      "task create", TITLE, WORKER, REQUEST_ID, NEW_ID, DESCRIPTION, PRIORITY, DEPENDS_ON, QUEUE, ASSIGNED_TO, INTENT,
      PARAMS);
  public static final Operation CLAIM = of("claimTask", AGENT, POST, "/tasks/claim",
      "claim the best available task and print its id", "task claim", WORKER, REQUEST_ID, PROJECT, TTL, WITH_INTENT)
      .tool(CLAIMING, Effect.OWN, CLAIMING_SAYS);
  public static final Operation RESUME = of("resumeTask", AGENT, POST, "/tasks/resume",
      "resume the agent's own task, else claim the next one; print its id", "task resume", WORKER, REQUEST_ID, PROJECT,
      TTL, ATTEMPT);
  public static final Operation START = of("startTask", AGENT, POST, "/tasks/{id}/start",
      "claim the named task, or renew the claim on it", "task start", ID, WORKER, REQUEST_ID, TTL, ATTEMPT)
      .tool(CLAIMING, Effect.OWN, CLAIMING_SAYS);
  public static final Operation RENEW = of("renewTask", AGENT, POST, "/tasks/{id}/heartbeat",
      "renew my claim on a task; never shortens it", "task heartbeat", KEPT, WORKER, REQUEST_ID, TTL, ATTEMPT)
      .tool("renew_task", Effect.OWN, "Keeps your task. If refused, stop.");
  public static final Operation CLOSE = of("closeTask", AGENT, POST, "/tasks/{id}/close",
      "close my task as done or blocked", "task close", ID, WORKER, REQUEST_ID, OUTCOME, REASON, ATTEMPT)
      .tool("close_task", Effect.OWN, "Ends your work on a task.");
  public static final Operation RELEASE = of("releaseTask", AGENT, POST, "/tasks/{id}/release",
      "return my task to the queue", "task release", ID, WORKER, REQUEST_ID, ATTEMPT);
  public static final Operation SWEEP = of("sweepTasks", AGENT, POST, "/tasks/gc",
      "remove expired claims, so that their tasks show as unclaimed", "task gc", WORKER, REQUEST_ID);

  /** All of them. */
  public static final List<Operation> ALL = List.of(LIST, VIEW, EVENTS, CREATE, CLAIM, RESUME, START, RENEW, CLOSE,
      RELEASE, SWEEP);

  private TaskOperations() {}

  private static Operation of(String id, Role role, Method method, String path, String says, String command,
      Arg<?>... args) {
    return Operation.of(id, role, method, path, says, args).command(command).enveloped();
  }
}

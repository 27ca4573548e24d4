package fleet.tower.service.mcp.tool.fixed;

import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import fleet.tower.access.Caller;
import fleet.tower.answer.Answer;
import fleet.tower.answer.CommonProblems;
import fleet.tower.answer.LockEstimates;
import fleet.tower.lease.RequestId;
import fleet.tower.operation.Arg;
import fleet.tower.operation.Arg.Via;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.TaskOperations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.OperationTool;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * The tools {@code claim_task renew_task close_task}, each for one or two operations. A caller that names no agent is
 * the agent of its own name, and one that names no request id gets a new one, which the result names.
 */
public final class TaskTools implements ToolBox {
  private static final String RELEASE = "release";
  private static final Arg<String> END = Arg.word(TaskOperations.OUTCOME.name(), List.of("done", "blocked", RELEASE),
      "how the work ended");

  private final Operations operations;
  private final LockEstimates estimates;
  private final SecureRandom random = new SecureRandom();
  private final List<FixedTool> tools;

  public TaskTools(Operations operations, LockEstimates estimates) {
    this.operations = operations;
    this.estimates = estimates;
    tools = List.of(
        tool(TaskOperations.CLAIM, TaskTools::claim, List.of(), TaskOperations.ID, TaskOperations.PROJECT,
            TaskOperations.TTL, TaskOperations.ATTEMPT),
        tool(TaskOperations.RENEW, _ -> TaskOperations.RENEW, List.of(TaskOperations.ID), TaskOperations.ID,
            TaskOperations.ATTEMPT, TaskOperations.TTL),
        tool(TaskOperations.CLOSE, TaskTools::close, List.of(TaskOperations.ID, END), TaskOperations.ID, END,
            TaskOperations.REASON, TaskOperations.ATTEMPT));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  private FixedTool tool(Operation first, Function<JsonObject, Operation> selection, List<Arg<?>> required,
      Arg<?>... args) {
    List<Arg<?>> all = Stream.concat(Stream.of(args), Stream.of(TaskOperations.WORKER, TaskOperations.REQUEST_ID))
        .toList();
    return new FixedTool(OperationTool.definition(Objects.requireNonNull(first.tool()), all, required),
        first.role(), (arguments, exchange) -> call(selection.apply(arguments), arguments, exchange));
  }

  private ToolResult call(Operation operation, JsonObject arguments, Exchange exchange) {
    String id = arguments.text(TaskOperations.REQUEST_ID.name()).orElseGet(() -> RequestId.random(random).value());
    Given given = OperationTool.given(operation.at(Via.TOOL).toList(), arguments).with(TaskOperations.REQUEST_ID, id);
    Answer answer = Answer.of(operations.handle(operation, new Handler.Request(given.has(TaskOperations.WORKER)
        ? given
        : given.with(TaskOperations.WORKER, exchange.caller().name()), exchange.caller(), Handler.Client.unknown())),
        estimates, estimates.moment());
    return OperationTool.result(operation, answer instanceof Answer.Done done
        ? Answer.ok(JsonWriter.line().members(done.body()).put(TaskOperations.REQUEST_ID.name(), id))
        : answer);
  }

  private static Operation claim(JsonObject arguments) {
    if (arguments.get(TaskOperations.ID.name()) == null) {
      refuse(arguments, TaskOperations.ATTEMPT, "without task_id");
      return TaskOperations.CLAIM;
    }
    refuse(arguments, TaskOperations.PROJECT, "with task_id");
    return TaskOperations.START;
  }

  private static Operation close(JsonObject arguments) {
    if (arguments.text(END.name()).filter(RELEASE::equals).isEmpty()) {
      return TaskOperations.CLOSE;
    }
    refuse(arguments, TaskOperations.REASON, "with outcome " + RELEASE);
    return TaskOperations.RELEASE;
  }

  /** Refuses an argument that would be ignored. */
  private static void refuse(JsonObject arguments, Arg<?> arg, String where) {
    if (arguments.get(arg.name()) != null) {
      throw CommonProblems.invalid(arg.name(), "'" + arg.name() + "' has no meaning " + where,
          "omit '" + arg.name() + "'");
    }
  }
}

package fleet.tower.service.mcp.tool.fixed;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

import fleet.tower.access.Caller;
import fleet.tower.access.Role;
import fleet.tower.answer.Answer;
import fleet.tower.answer.HaltText;
import fleet.tower.answer.IntentJson;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.LockIntents;
import fleet.tower.answer.StrandedRun;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.LeaseName;
import fleet.tower.lock.Halt;
import fleet.tower.lock.HaltSource;
import fleet.tower.lock.Locks;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.LockOperations;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.service.call.Needs;
import fleet.tower.service.mcp.task.LockWaitNotes;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.OperationTool;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.wire.Exchange;

/** The tools {@code explain_lock list_locks acquire_lock renew_lock release_lock}. None takes a lock by force. */
public final class LockTools implements ToolBox {
  private final Locks locks;
  private final HaltSource halts;
  private final RunEngine engine;
  private final LockEstimates estimates;
  private final List<FixedTool> tools;

  /** @param answerWithin the longest wait of one call */
  public LockTools(Operations operations, Locks locks, HaltSource halts, RunEngine engine, LockEstimates estimates,
      Duration answerWithin) {
    this.locks = locks;
    this.halts = halts;
    this.engine = engine;
    this.estimates = estimates;
    tools = List.of(
        FixedTool.of(OperationTool.definition(LockOperations.VIEW), LockOperations.VIEW.role(), this::explain,
            LockExplanation::sentence),
        of(LockOperations.LIST, operations, given -> given),
        of(LockOperations.ACQUIRE, operations, given -> given.with(LockOperations.WAIT,
            Math.min(given.get(LockOperations.WAIT), answerWithin.toSeconds()))),
        of(LockOperations.RENEW, operations, given -> given), of(LockOperations.RELEASE, operations, given -> given));
  }

  private FixedTool of(Operation operation, Operations operations, UnaryOperator<Given> limited) {
    return OperationTool.of(operation, operations, LockTools::client, limited, estimates);
  }

  private static Handler.Client client(Exchange exchange) {
    return new Handler.Client(exchange.cancellation(), new LockWaitNotes(exchange));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  @Needs(Role.VIEWER)
  private Answer explain(JsonObject arguments, Exchange exchange) {
    LeaseName name = name(arguments);
    Caller caller = exchange.caller();
    List<String> intents = LockIntents
        .of(name, JsonReader.readOwn(IntentJson.catalogue(engine.catalogue()).end()).objects("intents")).stream()
        .map(LockIntents::intent)
        .toList();
    return Answer.ok(new LockExplanation(locks.view(name), locks.waiters(name), intents,
        HaltText.OfLock.of(HaltText.all(halts.inForce()), name,
            Halt.Subject.of(caller.actor(), null, null).actors(), intents),
        StrandedRun.of(name, engine), caller, estimates).json());
  }

  private static LeaseName name(JsonObject arguments) {
    return new LeaseName(arguments.text(LockOperations.NAME.name()).orElse(""));
  }
}

package fleet.tower.service.mcp.tool.fixed;

import java.time.Duration;
import java.util.List;

import fleet.tower.access.Caller;
import fleet.tower.answer.Answer;
import fleet.tower.answer.LockEstimates;
import fleet.tower.answer.Problem;
import fleet.tower.answer.RefusedCall;
import fleet.tower.intent.Catalogue;
import fleet.tower.intent.Intent;
import fleet.tower.intent.ToolName;
import fleet.tower.lease.RequestId;
import fleet.tower.lock.queue.Wait;
import fleet.tower.operation.Given;
import fleet.tower.operation.Handler;
import fleet.tower.operation.Operation;
import fleet.tower.operation.Operations;
import fleet.tower.operation.Outcome;
import fleet.tower.operation.Preference;
import fleet.tower.operation.RunCallOutcome;
import fleet.tower.operation.RunCallOutcome.Seen;
import fleet.tower.operation.RunOperations;
import fleet.tower.operation.WaitingCalls;
import fleet.tower.platform.ErrorCode;
import fleet.tower.platform.json.JsonObject;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.platform.json.JsonWriter;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.task.FollowLimits;
import fleet.tower.service.mcp.task.RunResults;
import fleet.tower.service.mcp.task.RunWaitOutcome;
import fleet.tower.service.mcp.task.RunWaits;
import fleet.tower.service.mcp.tool.FixedTool;
import fleet.tower.service.mcp.tool.OperationTool;
import fleet.tower.service.mcp.tool.Tool;
import fleet.tower.service.mcp.tool.ToolBox;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.wire.Exchange;

/** The tools about runs: {@code plan_intent run_again probe_intent get_run wait_run cancel_run settle_run list_runs}. */
public final class RunTools implements ToolBox {
  private final Catalogue catalogue;
  private final Operations operations;
  private final WaitingCalls waiting;
  private final RunWaits waits;
  private final RunResults results;
  private final FollowLimits limits;
  private final LockEstimates estimates;
  private final List<FixedTool> tools;

  public RunTools(Catalogue catalogue, Operations operations, WaitingCalls waiting, RunWaits waits,
      RunResults results, FollowLimits limits, LockEstimates estimates) {
    this.catalogue = catalogue;
    this.operations = operations;
    this.waiting = waiting;
    this.waits = waits;
    this.results = results;
    this.limits = limits;
    this.estimates = estimates;
    tools = List.of(OperationTool.of(RunOperations.PLAN, this::plan),
        OperationTool.of(RunOperations.RUN_AGAIN, this::again), OperationTool.of(RunOperations.VIEW, this::get),
        OperationTool.of(RunOperations.AWAIT, this::await), OperationTool.of(RunOperations.CANCEL, this::cancel),
        OperationTool.of(RunOperations.PROBE, (given, exchange) -> done(RunOperations.PROBE, named(given), exchange)),
        OperationTool.of(RunOperations.SETTLE, (given, exchange) -> done(RunOperations.SETTLE, given, exchange)),
        OperationTool.of(RunOperations.LIST, operations, _ -> Handler.Client.unknown(), this::named, estimates));
  }

  @Override
  public List<Tool> tools(Caller caller) {
    return FixedTool.permitted(tools, caller);
  }

  private Outcome handle(Operation operation, Given given, Exchange exchange) {
    return operations.handle(operation, new Handler.Request(given, exchange.caller(),
        new Handler.Client(exchange.cancellation(), (_, _, _, _) -> {},
            () -> !exchange.cancellation().isCancelled(), RunTools::refuseSecrets)));
  }

  /** The arguments of a tool never contain a secret, because clients show and keep them. */
  private static void refuseSecrets() {
    throw new RefusedCall(Problem.of(ErrorCode.INVALID_PARAMS, "a parameter is secret and is not accepted from a model",
        "have it planned and run where the secrets are"));
  }

  private RunHandle find(Given given, Exchange exchange) {
    Outcome outcome = handle(RunOperations.VIEW, Given.NOTHING.with(RunOperations.RUN, given.get(RunOperations.RUN)),
        exchange);
    if (outcome instanceof RunCallOutcome.Viewed(Seen seen, var _)) {
      return seen.handle();
    }
    throw OperationTool.refusal(outcome, estimates);
  }

  /** The same arguments; the name of an intent may be written like the name of its tool. */
  private Given named(Given given) {
    return given.find(RunOperations.INTENT).filter(name -> catalogue.find(name).isEmpty())
        .flatMap(name -> catalogue.list().stream().map(Intent::name).filter(it -> ToolName.of(it).equals(name))
            .findFirst())
        .map(name -> given.with(RunOperations.INTENT, name)).orElse(given);
  }

  private ToolResult get(Given given, Exchange exchange) {
    RunHandle run = find(given, exchange);
    return results.shown(run.run(), run, exchange);
  }

  private ToolResult await(Given given, Exchange exchange) {
    RunHandle run = find(given, exchange);
    Duration wanted = Duration.ofSeconds(given.find(RunOperations.END_WAIT).orElse(Wait.MAX_SECONDS));
    return results.awaited(await(run, limits.atMost(wanted), exchange).run(), run, exchange);
  }

  private RunWaitOutcome await(RunHandle run, Duration limit, Exchange exchange) {
    try (var _ = waiting.enter(exchange.caller())) {
      RunWaitOutcome outcome = waits.await(run, limit, exchange);
      RunWaits.requireValid(exchange);
      return outcome;
    }
  }

  /** Also answers with the run if it was cancelled before: the first answer may have been lost. */
  private ToolResult cancel(Given given, Exchange exchange) {
    Outcome outcome = handle(RunOperations.CANCEL, given, exchange);
    boolean isCancelled = outcome instanceof RunCallOutcome.Ended(var run) && run.status() == RunStatus.CANCELLED;
    if (!isCancelled && !(outcome instanceof RunCallOutcome.Cancelling)) {
      throw OperationTool.refusal(outcome, estimates);
    }
    RunHandle run = find(given, exchange);
    return results.shown(await(run, limits.answerWithin(), exchange).run(), run, exchange);
  }

  private ToolResult done(Operation operation, Given given, Exchange exchange) {
    return OperationTool.result(operation,
        Answer.of(handle(operation, given, exchange), estimates, estimates.moment()));
  }

  private ToolResult again(Given given, Exchange exchange) {
    RunHandle earlier = find(RunOperations.of(new RequestId(given.get(RunOperations.AGAIN))), exchange);
    Outcome outcome = handle(RunOperations.SUBMIT, given.with(RunOperations.INTENT, earlier.run().intent())
        .with(RunOperations.PREFER, Preference.ASYNC), exchange);
    if (outcome instanceof RunCallOutcome.Submitted(Seen seen, boolean _, var _)) {
      RunHandle run = seen.handle();
      return results.awaited(await(run, limits.answerWithin(), exchange).run(), run, exchange);
    }
    throw OperationTool.refusal(outcome, estimates);
  }

  private ToolResult plan(Given given, Exchange exchange) {
    Outcome outcome = handle(RunOperations.PLAN, named(given), exchange);
    if (outcome instanceof RunCallOutcome.Planned
        && Answer.of(outcome, estimates,
            estimates.moment()) instanceof Answer.Done(int _, var _, JsonWriter plan, var _)) {
      JsonObject data = JsonReader.readOwn(plan.end());
      return FixedTool.result(data, "The plan of a run of " + data.text("intent").orElse("")
          + "; nothing was started.");
    }
    throw OperationTool.refusal(outcome, estimates);
  }
}

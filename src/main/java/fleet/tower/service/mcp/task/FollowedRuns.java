package fleet.tower.service.mcp.task;

import java.time.Duration;

import fleet.tower.intent.Intent;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.Runs;
import fleet.tower.service.mcp.tool.ToolResult;
import fleet.tower.service.mcp.tool.ToolRunFollower;
import fleet.tower.service.mcp.wire.Exchange;

/**
 * Runs that calls of tools requested, followed until the answer.
 *
 * <ol>
 * <li>A run that ends in time is the answer.
 * <li>Otherwise the answer is a task if the client declared that it accepts one, or else explains how to continue. The
 * run continues.
 * <li>If the client is gone, a run that changes something continues once it has its lock: the client may come back for
 * it. A run that still waits, or changes nothing, is cancelled, unless another call follows it.
 * </ol>
 */
public final class FollowedRuns implements ToolRunFollower {
  private final Runs runs;
  private final RunWaits waits;
  private final RunResults results;
  private final RunTasks tasks;
  private final FollowLimits limits;
  private final Followers followers = new Followers();

  public FollowedRuns(Runs runs, RunWaits waits, RunResults results, RunTasks tasks, FollowLimits limits) {
    this.runs = runs;
    this.waits = waits;
    this.results = results;
    this.tasks = tasks;
    this.limits = limits;
  }

  @Override
  public ToolResult follow(RunHandle handle, boolean replayed, long waitSecondsAskedFor, Exchange exchange) {
    boolean asTask = TasksFeature.isDeclared(exchange.request());
    RunWaitOutcome outcome = await(handle, replayed, asTask, exchange);
    RunWaits.requireValid(exchange);
    return outcome instanceof RunWaitOutcome.TimeUp(Run run) && asTask
        ? new ToolResult.Begun(tasks.task(run, handle))
        : results.requested(outcome.run(), handle, replayed, exchange);
  }

  private RunWaitOutcome await(RunHandle handle, boolean replayed, boolean asTask, Exchange exchange) {
    RequestId id = handle.run().requestId();
    followers.enter(id, !replayed);
    boolean isGone = false;
    try {
      RunWaitOutcome outcome = waits.await(handle,
          handle.run().status() == RunStatus.AWAITING_APPROVAL ? Duration.ZERO : limits.of(asTask), exchange);
      isGone = outcome instanceof RunWaitOutcome.Left;
      return outcome;
    } finally {
      if (!isGone) {
        followers.answered(id);
      } else if (followers.isAbandoned(id)) {
        abandon(handle.run());
      }
    }
  }

  private void abandon(Run run) {
    if (run.header().subject().mode() == Intent.Mode.OBSERVE) {
      runs.cancel(run.requestId());
    } else {
      runs.cancelWait(run.requestId());
    }
  }
}

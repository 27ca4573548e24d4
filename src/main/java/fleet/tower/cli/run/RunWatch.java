package fleet.tower.cli.run;

import java.util.List;
import java.util.function.BooleanSupplier;

import fleet.tower.answer.RunJson;
import fleet.tower.lease.LeaseName;
import fleet.tower.platform.json.JsonReader;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepLogs;
import fleet.tower.run.StepLogs.MissingOutput;
import fleet.tower.run.execute.RunFeed;
import fleet.tower.run.execute.RunHandle;

/**
 * Follows a run and reports its events to a narrator.
 *
 * @param isInterrupted whether this process received a signal to end
 */
public record RunWatch(StepLogs logs, Narrator narrator, BooleanSupplier isInterrupted) {

  /** Reports events until the run ends, or this process must end while the run continues in another. */
  public Run follow(RunHandle handle) {
    int warned = handle.isElsewhere() ? warn(handle, 0) : 0;
    awaitLock(handle);
    RunFeed feed = RunFeed.of(handle, logs);
    while (!feed.isOver() && !isGivenUp(handle)) {
      List<RunFeed.Event> events = feed.next();
      warned = warn(handle, warned);
      events.forEach(this::report);
      narrator.pause();
    }
    narrator.end();
    return handle.run();
  }

  /** Reports new warnings; returns the total number. */
  private int warn(RunHandle handle, int reported) {
    List<String> warnings = handle.run().warnings();
    warnings.subList(reported, warnings.size()).forEach(narrator::warning);
    return warnings.size();
  }

  private void awaitLock(RunHandle handle) {
    RunHandle.Waiting reported = null;
    if (handle.isElsewhere() && handle.run().status() == RunStatus.WAITING) {
      LeaseName lock = handle.run().header().lockName();
      narrator.note("run " + handle.run().requestId() + " is waiting" + (lock == null ? "" : "; its lock is " + lock));
    }
    if (handle.run().status() == RunStatus.AWAITING_APPROVAL) {
      narrator.note(StepText.awaiting(handle.run()));
    }
    for (;;) {
      long seen = handle.version();
      RunHandle.Waiting waiting = handle.waiting().orElse(null);
      if (waiting != null && !waiting.equals(reported)) {
        narrator.note(StepText.waiting(waiting));
        reported = waiting;
      }
      RunStatus status = handle.run().status();
      if ((status != RunStatus.WAITING && status != RunStatus.AWAITING_APPROVAL) || isGivenUp(handle)) {
        return;
      }
      handle.awaitChange(seen);
    }
  }

  /** A run of this process ends soon after its cancellation; a run of another process continues. */
  private boolean isGivenUp(RunHandle handle) {
    return isInterrupted.getAsBoolean() && handle.isElsewhere();
  }

  private void report(RunFeed.Event event) {
    switch (event) {
      case RunFeed.StepStarted(var _, var step) ->
        narrator.stepStarted(JsonReader.readOwn(RunJson.started(step).end()));
      case RunFeed.Line(var _, var _, String text) -> narrator.line(text);
      case RunFeed.OutputMissing(var _, MissingOutput missing) -> narrator.note(missing.note());
      case RunFeed.StepFinished(var _, var step) ->
        narrator.stepFinished(JsonReader.readOwn(RunJson.finished(step).end()));
      case RunFeed.OutputSize _,RunFeed.Heartbeat _,RunFeed.HeartbeatFailed _,RunFeed.RunFinished _ -> {
      }
    }
  }
}

package fleet.tower.cli.run;

import java.util.List;
import java.util.function.BooleanSupplier;

import fleet.tower.lease.LeaseName;
import fleet.tower.run.MissingOutput;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.StepLogs;
import fleet.tower.run.execute.RunFeed;
import fleet.tower.run.execute.RunHandle;

/**
 * Follows a run and reports its events to a narrator.
 *
 * @param isInterrupted whether this process received a signal to end
 */
public record RunWatch(StepLogs logs, Narrator narrator, BooleanSupplier isInterrupted) {

  /** Reports events until the run ends, or this process must end while the run continues in another. */
  public Run follow(RunHandle ticket) {
    int warned = ticket.isElsewhere() ? warn(ticket, 0) : 0;
    awaitLock(ticket);
    RunFeed feed = RunFeed.of(ticket, logs);
    while (!feed.isOver() && !isGivenUp(ticket)) {
      List<RunFeed.Event> events = feed.next();
      warned = warn(ticket, warned);
      events.forEach(this::report);
      narrator.pause();
    }
    narrator.end();
    return ticket.run();
  }

  /** Reports new warnings; returns the total number. */
  private int warn(RunHandle ticket, int reported) {
    List<String> warnings = ticket.run().warnings();
    warnings.subList(reported, warnings.size()).forEach(narrator::warning);
    return warnings.size();
  }

  private void awaitLock(RunHandle ticket) {
    RunHandle.Waiting reported = null;
    if (ticket.isElsewhere() && ticket.run().status() == RunStatus.WAITING) {
      LeaseName lock = ticket.run().header().lockName();
      narrator.note("run " + ticket.run().requestId() + " is waiting" + (lock == null ? "" : "; its lock is " + lock));
    }
    for (;;) {
      long seen = ticket.version();
      RunHandle.Waiting waiting = ticket.waiting().orElse(null);
      if (waiting != null && !waiting.equals(reported)) {
        narrator.waiting(waiting);
        reported = waiting;
      }
      if (ticket.run().status() != RunStatus.WAITING || isGivenUp(ticket)) {
        return;
      }
      ticket.awaitChange(seen);
    }
  }

  /** A run of this process ends soon after its cancellation; a run of another process continues. */
  private boolean isGivenUp(RunHandle ticket) {
    return isInterrupted.getAsBoolean() && ticket.isElsewhere();
  }

  private void report(RunFeed.Event event) {
    switch (event) {
      case RunFeed.StepStarted(var _, var step) -> narrator.stepStarted(step);
      case RunFeed.Line(var _, var _, String text) -> narrator.line(text);
      case RunFeed.OutputMissing(var _, MissingOutput missing) -> narrator.note(missing.note());
      case RunFeed.StepFinished(var _, var step) -> narrator.stepFinished(step);
      case RunFeed.OutputSize _,RunFeed.Heartbeat _,RunFeed.HeartbeatFailed _,RunFeed.RunFinished _ -> {
      }
    }
  }
}

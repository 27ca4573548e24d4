package fleet.tower.service.mcp.task;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Run;
import fleet.tower.run.StepLogs;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.service.mcp.wire.Exchange;
import fleet.tower.service.mcp.wire.ProtocolError;

/** Waits for the ends of runs, and reports their progress to clients that want it. */
public final class RunWaits {
  private final Scheduler scheduler;
  private final StepLogs logs;

  public RunWaits(Scheduler scheduler, StepLogs logs) {
    this.scheduler = scheduler;
    this.logs = logs;
  }

  /** Waits until the run ends, the limit is reached, or the exchange is cancelled. */
  public RunWaitOutcome await(RunHandle handle, Duration limit, Exchange exchange) {
    AtomicBoolean isUp = new AtomicBoolean(limit.isZero());
    Scheduler.Pending timer = scheduler.after(limit, () -> {
      isUp.set(true);
      handle.wake();
    });
    try (ProgressNotes notes = new ProgressNotes(exchange, handle, scheduler, logs);
        var _ = exchange.cancellation().on(handle::wake)) {
      for (;;) {
        long seen = handle.version();
        Run run = handle.run();
        boolean isEnded = run.status().isFinished();
        if (!isEnded && exchange.cancellation().isCancelled()) {
          return new RunWaitOutcome.Left(run);
        }
        notes.report(run);
        if (isEnded) {
          return new RunWaitOutcome.Ended(run);
        }
        if (isUp.get()) {
          return new RunWaitOutcome.TimeUp(run);
        }
        handle.awaitChange(seen);
      }
    } finally {
      timer.cancel();
    }
  }

  /** Withholds the answer from a caller whose token was revoked or has expired during the wait. */
  public static void requireValid(Exchange exchange) {
    if (!exchange.caller().credential().isValid()) {
      throw new ProtocolError(ProtocolError.INVALID_REQUEST,
          "your token was revoked or has expired while the call waited");
    }
  }
}

package fleet.tower.cli.run;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import fleet.tower.home.Home;
import fleet.tower.home.HomeRuns.QueueHandle;
import fleet.tower.home.RunEngine;
import fleet.tower.lease.RequestId;
import fleet.tower.run.Run;
import fleet.tower.run.RunStatus;
import fleet.tower.run.execute.RunHandle;
import fleet.tower.run.submit.QueuedRuns.TakeOutcome;

/**
 * Waits until a run is approved, and executes it in this process unless a service does.
 *
 * @param isInterrupted whether this process received a signal to end; then the run is withdrawn
 */
public record ApprovalWait(Home home, RunEngine engine, BooleanSupplier isInterrupted) {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  /** Whether a run waits for its approval, or has it and waits for an executor. */
  public static boolean concerns(Run run) {
    return run.approval() != null && run.isUnstarted();
  }

  /** The run when it has ended, or as it is when the time is over. */
  public Run await(Run requested, Duration patience, Narrator narrator) {
    RequestId id = requested.requestId();
    if (requested.status() == RunStatus.AWAITING_APPROVAL && !patience.isZero()) {
      narrator.note(StepText.awaiting(requested));
    }
    QueueHandle queue = home.runs().queue(engine);
    try {
      long begun = home.time().nanos();
      for (;;) {
        engine.runs().approvals().expire();
        Run run = engine.runs().find(id).map(RunHandle::run).orElse(requested);
        if (run.status() == RunStatus.WAITING
            && queue.runs().take(id) instanceof TakeOutcome.Taken(RunHandle handle, BooleanSupplier end)) {
          Run followed = follow(handle, narrator);
          return end.getAsBoolean() ? handle.run() : followed;
        }
        if (!run.begun().isEmpty() || run.status() == RunStatus.RUNNING) {
          return follow(engine.runs().find(id).orElseThrow(), narrator);
        }
        if (isInterrupted.getAsBoolean() && !run.status().isFinished()) {
          engine.runs().cancel(id);
        } else if (!run.isUnstarted() || home.time().nanos() - begun >= patience.toNanos()) {
          return run;
        }
        home.scheduler().pause(BETWEEN_LOOKS);
      }
    } finally {
      queue.close(Duration.ZERO);
    }
  }

  private Run follow(RunHandle handle, Narrator narrator) {
    return new RunWatch(engine.logs(), narrator, isInterrupted).follow(handle);
  }
}

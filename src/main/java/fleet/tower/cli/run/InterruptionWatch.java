package fleet.tower.cli.run;

import java.time.Duration;
import java.util.function.BooleanSupplier;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.execute.RunHandle;

/** Wakes the watcher of a run soon after this process was interrupted. */
final class InterruptionWatch implements AutoCloseable {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  private final BooleanSupplier isInterrupted;
  private final RunHandle handle;
  private final Scheduler scheduler;
  private volatile boolean isClosed;

  InterruptionWatch(BooleanSupplier isInterrupted, RunHandle handle, Scheduler scheduler) {
    this.isInterrupted = isInterrupted;
    this.handle = handle;
    this.scheduler = scheduler;
    schedule();
  }

  private void schedule() {
    Scheduler.Pending _ = scheduler.after(BETWEEN_LOOKS, this::look);
  }

  private void look() {
    if (isInterrupted.getAsBoolean()) {
      handle.wake();
    } else if (!isClosed) {
      schedule();
    }
  }

  @Override
  public void close() {
    isClosed = true;
  }
}

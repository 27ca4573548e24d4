package fleet.tower.run.submit;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

import fleet.tower.platform.time.Scheduler;
import fleet.tower.run.Run;
import fleet.tower.run.execute.RunHandle;

/** A run that another process executes, or that has finished. Its state is polled in the store. */
final class DistantRun implements RunHandle {
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(200);

  private final Supplier<Run> source;
  private final Scheduler scheduler;

  DistantRun(Supplier<Run> source, Scheduler scheduler) {
    this.source = source;
    this.scheduler = scheduler;
  }

  @Override
  public Run run() {
    return source.get();
  }

  /** Waits a moment: the store does not notify, so the caller looks for a change itself. */
  @Override
  public void awaitChange(long seen) {
    scheduler.pause(BETWEEN_LOOKS);
  }

  @Override
  public long version() {
    return 0;
  }

  @Override
  public boolean isElsewhere() {
    return true;
  }

  @Override
  public Optional<Instant> lastHeartbeat() {
    return Optional.empty();
  }
}

package fleet.tower.platform;

import java.time.Duration;
import java.util.function.Supplier;

import fleet.tower.platform.time.Cancellation;
import fleet.tower.platform.time.Scheduler;
import fleet.tower.platform.time.TimeSource;
import fleet.tower.platform.time.WakeUp;

/**
 * The patience of a waiting call with a storage that cannot be reached: it repeats what failed until its time is over
 * or it is cancelled.
 */
public final class OutageWait {
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);

  private final long end;
  private final TimeSource time;
  private final Scheduler scheduler;
  private final Cancellation cancellation;

  /** @param limit the time from now on; none for a call that does not wait */
  public OutageWait(Duration limit, TimeSource time, Scheduler scheduler, Cancellation cancellation) {
    this.end = time.nanos() + limit.toNanos();
    this.time = time;
    this.scheduler = scheduler;
    this.cancellation = cancellation;
  }

  /** The result of a call, which may be made several times. */
  public <T> T through(Supplier<T> call) {
    for (;;) {
      try {
        return call.get();
      } catch (StorageException e) {
        outlast(e);
      }
    }
  }

  /** Waits a moment before the next try. Throws the failure if it is not an outage, or if the wait is over. */
  public void outlast(StorageException failure) {
    Duration left = Duration.ofNanos(end - time.nanos());
    if (!failure.isOutage() || !left.isPositive() || cancellation.isCancelled()) {
      throw failure;
    }
    WakeUp wakeUp = new WakeUp();
    Scheduler.Pending alarm = scheduler.after(left.compareTo(BETWEEN_TRIES) < 0 ? left : BETWEEN_TRIES,
        wakeUp::signal);
    try (var _ = cancellation.on(wakeUp::signal)) {
      wakeUp.await();
    } finally {
      alarm.cancel();
    }
  }
}

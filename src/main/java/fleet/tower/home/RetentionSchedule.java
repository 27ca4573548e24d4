package fleet.tower.home;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;

/**
 * Runs retention sweeps in a service: once an hour, and slowly. The number of runs is limited each minute, because a
 * busy service begins more in an hour than a slow sweep removes.
 */
public final class RetentionSchedule {
  /** A delay, so that a service that restarts often does not sweep each time. */
  static final Duration FIRST = Duration.ofMinutes(5);
  static final Duration EVERY = Duration.ofHours(1);
  static final Duration CHECK = Duration.ofMinutes(1);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration SHORT_PAUSE = Duration.ofMillis(1);

  private final Retention retention;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final AtomicReference<Scheduler.@Nullable Pending> next = new AtomicReference<>();
  private volatile boolean stopped;
  private Duration untilSweep = FIRST;

  public RetentionSchedule(Retention retention, Scheduler scheduler, Consumer<String> warnings) {
    this.retention = retention;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  public void start() {
    schedule();
  }

  /** Starts no further sweep; a sweep in progress may be repeated by the next process. */
  public void stop() {
    stopped = true;
    Scheduler.Pending pending = next.getAndSet(null);
    if (pending != null) {
      pending.cancel();
    }
  }

  private void schedule() {
    if (!stopped) {
      next.set(scheduler.after(CHECK, () -> Thread.ofVirtual().name("tower-sweep").start(this::check)));
    }
  }

  /** Each begins when the last has ended. */
  private void check() {
    untilSweep = untilSweep.minus(CHECK);
    boolean isDue = untilSweep.isZero();
    try {
      if (isDue) {
        untilSweep = EVERY;
        Retention.Removal _ = retention.expire(PAUSE);
      } else {
        int _ = retention.removeExcess(SHORT_PAUSE);
      }
    } catch (StorageException | IllegalStateException e) {
      // The IllegalStateException occurs when a stopping service has closed the stores in use.
      if (stopped || (e instanceof StorageException storage && storage.isReported())) {
        return;
      }
      warnings.accept("retention sweep failed: " + e.getMessage());
    } finally {
      schedule();
    }
  }
}

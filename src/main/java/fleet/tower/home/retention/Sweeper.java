package fleet.tower.home.retention;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;

/** Runs retention sweeps in a service: once an hour, and slowly. */
public final class Sweeper {
  /** A delay, so that a service that restarts often does not sweep each time. */
  static final Duration FIRST = Duration.ofMinutes(5);
  static final Duration EVERY = Duration.ofHours(1);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final Retention retention;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final AtomicReference<Scheduler.@Nullable Pending> next = new AtomicReference<>();
  private volatile boolean stopped;

  public Sweeper(Retention retention, Scheduler scheduler, Consumer<String> warnings) {
    this.retention = retention;
    this.scheduler = scheduler;
    this.warnings = warnings;
  }

  public void start() {
    schedule(FIRST);
  }

  /** Starts no further sweep; a sweep in progress may be repeated by the next process. */
  public void stop() {
    stopped = true;
    Scheduler.Pending pending = next.getAndSet(null);
    if (pending != null) {
      pending.cancel();
    }
  }

  private void schedule(Duration delay) {
    if (!stopped) {
      next.set(scheduler.after(delay, () -> Thread.ofVirtual().name("tower-sweep").start(this::sweep)));
    }
  }

  private void sweep() {
    try {
      Removal _ = retention.sweep(PAUSE);
    } catch (StorageException | IllegalStateException e) {
      // The IllegalStateException occurs when a stopping service has closed the stores in use.
      if (stopped || (e instanceof StorageException storage && storage.isReported())) {
        return;
      }
      warnings.accept("retention sweep failed: " + e.getMessage());
    } finally {
      schedule(EVERY);
    }
  }
}

package fleet.tower.home.retention;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import fleet.tower.platform.StorageException;
import fleet.tower.platform.time.Scheduler;

/** Sweeps behind the work of a service: once an hour, and slowly. */
public final class Sweeper {
  /** A service that is started again and again has other things to do. */
  static final Duration FIRST = Duration.ofMinutes(5);
  static final Duration EVERY = Duration.ofHours(1);
  private static final Duration PAUSE = Duration.ofMillis(20);

  private final Retention retention;
  private final Scheduler scheduler;
  private final Consumer<String> warnings;
  private final AtomicReference<Scheduler.@Nullable Pending> next = new AtomicReference<>();
  private volatile boolean stopped;

  public Sweeper(Retention retention, Scheduler scheduler, Consumer<String> warnings) {
    this.retention = requireNonNull(retention);
    this.scheduler = requireNonNull(scheduler);
    this.warnings = requireNonNull(warnings);
  }

  public void start() {
    schedule(FIRST);
  }

  /** No sweep begins any more; what one is about may be done again by the next process. */
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
      // The second where the service went down meanwhile, and closed what this was at.
      if (stopped) {
        return;
      }
      warnings.accept("what is old could not be thrown away: " + e.getMessage());
    } finally {
      schedule(EVERY);
    }
  }
}
